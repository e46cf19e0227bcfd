using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace FastCgi.FuzzTests.Memory;

/// <summary>All that happened, folded into one number: two runs with the same number took the same steps.</summary>
internal sealed class Trace
{
    private const ulong Prime = 0x9E3779B97F4A7C15;

    public ulong Hash { get; private set; } = 1;

    /// <summary>Lines for a person; null where nobody asked for them.</summary>
    public List<string>? Lines { get; init; }

    /// <summary>Tells of something in words, where somebody asked for them.</summary>
    public void Tell(ulong conversation, string what, int count = -1, [CallerMemberName] string where = "") =>
        Lines?.Add($"conversation {conversation}: {what}{(count < 0 ? "" : $" {count}")} ({where})");

    public void Add(ulong value) => Hash = ulong.RotateLeft((Hash ^ value) * Prime, 29);

    public void Add(ReadOnlySpan<byte> bytes)
    {
        Add((ulong)bytes.Length);
        while (bytes.Length >= 8)
        {
            Add(BinaryPrimitives.ReadUInt64LittleEndian(bytes));
            bytes = bytes[8..];
        }

        foreach (var value in bytes)
        {
            Add(value);
        }
    }
}
