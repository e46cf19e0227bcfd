namespace FastCgi.Benchmarks.Loads;

/// <summary>What a load generator is to do.</summary>
/// <param name="Connections">One request at a time on each.</param>
internal sealed record LoadOrder(Workload Workload, int Connections, TimeSpan Duration)
{
    /// <summary>ab: so many requests, however long they take; null: as many as the duration allows.</summary>
    public int? Requests { get; init; }

    /// <summary>ab: many requests on each connection, where the answers allow it.</summary>
    public bool KeepsConnections { get; init; }
}
