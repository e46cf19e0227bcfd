namespace FastCgi.Benchmarks.Loads;

/// <summary>What a load generator is to do.</summary>
internal sealed record LoadOrder(Workload Workload, int Connections, TimeSpan Duration);
