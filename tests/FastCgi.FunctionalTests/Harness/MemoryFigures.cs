namespace FastCgi.FunctionalTests.Harness;

/// <summary>
/// What the process holds before, during and after something, after a collection each: the managed heap, in which all
/// buffers of the server and its pools are, and the resident set without what the collector has for that heap. The
/// collector gives pages back when it likes, so that the resident set alone grows or shrinks by what ran before.
/// </summary>
public sealed class MemoryFigures
{
    private const long Mebibyte = 1024 * 1024;

    /// <summary>What the server may take for anything that a peer does, beyond what a limit allows.</summary>
    private const long HeapBound = 4 * Mebibyte;

    /// <summary>Code that is compiled, stacks of threads, and what the system gives back when it likes.</summary>
    private const long NativeBound = 32 * Mebibyte;

    /// <summary>What tests before may have left: if that is collected meanwhile, it hides what the server takes.</summary>
    private const long LeftBound = 100 * Mebibyte;

    private readonly List<(string When, long Heap, long Native)> _taken = [];

    /// <summary>Waits for what the end of the test before may still hold, and measures.</summary>
    public static async Task<MemoryFigures> BeforeAsync()
    {
        var figures = new MemoryFigures();
        await Eventually.HoldsAsync(
            () =>
            {
                figures._taken.Clear();
                return figures.Take("before")._taken[0].Heap < LeftBound;
            },
            () => $"{figures._taken[0].Heap} bytes are held before the test, {LeftBound} are allowed.");
        return figures;
    }

    public MemoryFigures During() => Take("during");

    /// <summary>
    /// Prints all of it in one line, and fails when at any time more was held than <paramref name="allowed"/> bytes and
    /// the bound above before.
    /// </summary>
    public void After(string name, long allowed = 0)
    {
        Take("after");
        TestContext.Current.TestOutputHelper!.WriteLine(
            $"Memory | {name} | {string.Join(" | ", _taken.Select(Show))}");
        var (_, heap, native) = _taken[0];
        Assert.All(_taken, taken => Assert.InRange(taken.Heap - heap, long.MinValue, allowed + HeapBound));
        Assert.All(_taken, taken => Assert.InRange(taken.Native - native, long.MinValue, NativeBound));
    }

    private static string Show((string When, long Heap, long Native) taken) => string.Create(
        CultureInfo.InvariantCulture,
        $"{taken.When}: heap {taken.Heap / 1048576.0:F1} MiB, native {taken.Native / 1048576.0:F1} MiB");

    private MemoryFigures Take(string when)
    {
        GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        GC.WaitForPendingFinalizers();
        GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        var native = Environment.WorkingSet - GC.GetGCMemoryInfo().TotalCommittedBytes;
        _taken.Add((when, GC.GetTotalMemory(forceFullCollection: false), native));
        return this;
    }
}
