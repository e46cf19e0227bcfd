namespace FastCgi.Benchmarks.Compare;

/// <summary>What is compared, and how long.</summary>
internal sealed record ComparisonOptions
{
    public required IReadOnlyList<Target> Targets { get; init; }

    public required IReadOnlyList<Workload> Workloads { get; init; }

    /// <summary>Each for itself, in this order.</summary>
    public required IReadOnlyList<int> Connections { get; init; }

    /// <summary>Whether the connections to the targets are kept: true, false or both, each for itself.</summary>
    public required IReadOnlyList<bool> KeepConnections { get; init; }

    public required int Rounds { get; init; }

    /// <summary>Of one target in one round.</summary>
    public required TimeSpan Duration { get; init; }

    /// <summary>Of each target before the first round of a table; counts for nothing.</summary>
    public required TimeSpan WarmUp { get; init; }

    /// <summary>The most connections that any table has.</summary>
    public int MostConnections => Workloads.Max(workload => ConnectionsOf(workload).Max());

    /// <summary>How often and how long, for the head of the report.</summary>
    public override string ToString() =>
        $"{Rounds} of {Duration.TotalSeconds:F0} s for each target, interleaved, after "
        + $"{WarmUp.TotalSeconds:F0} s of warm-up; medians";

    public IReadOnlyList<int> ConnectionsOf(Workload workload) =>
        workload.Connections is { } own
            ? [own]
            : [.. Connections.Select(number => Math.Min(number, workload.MostConnections ?? number)).Distinct()];
}
