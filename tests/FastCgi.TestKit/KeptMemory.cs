using Xunit;

namespace FastCgi.TestKit;

/// <summary>What stays in memory of something that is over. The process is measured, so nothing else may run.</summary>
public static class KeptMemory
{
    private const int Count = 20_000;

    /// <summary>Nothing is kept; what the measurement itself adds is little by call.</summary>
    private const int MostOfEach = 16;

    /// <summary>Calls it again and again.</summary>
    /// <returns>The bytes that were kept of each call.</returns>
    public static async Task<long> OfEachAsync(Func<Task> call)
    {
        await call();
        using var memory = new LiveMemory();
        for (var i = 0; i < Count; i++)
        {
            await call();
        }

        return memory.Growth / Count;
    }

    /// <summary>Prints the figure, and fails the test if it is more than nothing.</summary>
    public static void AssertNothing(long each, string of)
    {
        Console.WriteLine($"=> {each} bytes are kept of each {of}");
        Assert.InRange(each, long.MinValue, MostOfEach);
    }
}
