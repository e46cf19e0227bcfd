namespace FastCgi.Benchmarks.Loads;

/// <summary>What a load generator is to do.</summary>
/// <param name="Workload">Which requests.</param>
/// <param name="Connections">One request at a time on each.</param>
/// <param name="Duration">Of the whole load.</param>
internal sealed record LoadOrder(Workload Workload, int Connections, TimeSpan Duration);
