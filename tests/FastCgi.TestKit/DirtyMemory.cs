using Xunit;

namespace FastCgi.TestKit;

/// <summary>Memory full of 0xFF, as a pooled buffer is full of what came before: a byte not written shows.</summary>
public static class DirtyMemory
{
    public const byte Dirt = 0xFF;

    public static byte[] OfLength(int length)
    {
        var memory = new byte[length];
        memory.AsSpan().Fill(Dirt);
        return memory;
    }

    /// <summary>Nothing was written from <paramref name="start"/> on.</summary>
    public static void AssertUntouched(ReadOnlySpan<byte> memory, int start)
    {
        var at = memory[start..].IndexOfAnyExcept(Dirt);
        Assert.True(at < 0, $"Written beyond its end: byte {start + at} of {memory.Length}, the end was {start}.");
    }
}
