namespace FastCgi.Tool.Benchmarks;

/// <summary>How a benchmark runs.</summary>
/// <param name="Connections">Requests at a time.</param>
/// <param name="Duration">How long, after the warm-up.</param>
/// <param name="Requests">How many at most; null for no limit.</param>
/// <param name="WarmUp">Time before the measurement; zero for none.</param>
/// <param name="Rate">
/// Requests a second on a schedule. The time of a late request counts from its scheduled moment, so that a stall of
/// the application shows in every request that it delays. Null: each connection sends its next request when the last
/// has ended.
/// </param>
/// <param name="KeepConnections">Asks the application to keep connections; null as the client's default.</param>
internal sealed record BenchPlan(
    int Connections, TimeSpan Duration, long? Requests, TimeSpan WarmUp, double? Rate, bool? KeepConnections);
