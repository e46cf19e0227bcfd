namespace FastCgi.Benchmarks.Systems;

/// <summary>One of the systems that people ran, beside what it ran on.</summary>
/// <param name="Targets">This server first.</param>
internal sealed record SystemScenario(
    string Name, string Title, IReadOnlyList<Target> Targets, IReadOnlyList<SystemCase> Cases)
{
    /// <summary>
    /// Asks whatever a visitor has to ask first, once for each table; its result is the Cookie of every later request.
    /// Null: nothing.
    /// </summary>
    public Func<Uri, Task<string>>? EnterAsync { get; init; }

    /// <summary>The database server that was started for it; null: none.</summary>
    public IAsyncDisposable? Database { get; init; }

    /// <summary>What of an answer must be the same with every target: by default all of it.</summary>
    public Func<byte[], string> Essence { get; init; } = Convert.ToHexString;
}
