namespace FastCgi.Tool.Benchmarks;

/// <summary>The settings of a benchmark.</summary>
/// <param name="Connections">The number of requests at a time.</param>
/// <param name="Duration">The length of the measurement, after the warm-up.</param>
/// <param name="Requests">The maximum number of requests; null for no limit.</param>
/// <param name="WarmUp">The time before the measurement; zero for none.</param>
/// <param name="Rate">
/// Requests per second, on a schedule. The time of a late request counts from its scheduled moment, so that a stall of
/// the application shows in every request that it delays. Null: each connection sends its next request when the last
/// one has ended.
/// </param>
/// <param name="KeepConnections">Asks the application to keep connections; null for the client's default.</param>
internal sealed record BenchPlan(
    int Connections, TimeSpan Duration, long? Requests, TimeSpan WarmUp, double? Rate, bool? KeepConnections);
