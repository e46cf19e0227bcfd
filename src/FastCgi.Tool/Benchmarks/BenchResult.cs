namespace FastCgi.Tool.Benchmarks;

/// <summary>The measurements of a benchmark.</summary>
/// <param name="Elapsed">From the first request to the end of the last.</param>
/// <param name="Latencies">Of the requests that got a response, whatever its status.</param>
/// <param name="BodyBytes">Of all response bodies.</param>
/// <param name="Statuses">How many responses had each status.</param>
/// <param name="Failures">Requests without a response, by message.</param>
internal sealed record BenchResult(
    TimeSpan Elapsed,
    LatencyHistogram Latencies,
    long BodyBytes,
    IReadOnlyDictionary<int, long> Statuses,
    IReadOnlyDictionary<string, long> Failures)
{
    public double Rate => Elapsed > TimeSpan.Zero ? Latencies.Count / Elapsed.TotalSeconds : 0;

    public long FailureCount => Failures.Values.Sum();

    /// <summary>Responses with a status of 400 or more.</summary>
    public long ErrorCount => Statuses.Where(static status => status.Key >= 400).Sum(static status => status.Value);
}
