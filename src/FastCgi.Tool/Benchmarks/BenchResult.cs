namespace FastCgi.Tool.Benchmarks;

/// <summary>The measurements of a benchmark.</summary>
/// <param name="Elapsed">The time from the first request to the end of the last.</param>
/// <param name="Latencies">The times of the requests that got a response, with any status.</param>
/// <param name="BodyBytes">The bytes of all response bodies.</param>
/// <param name="Statuses">The number of responses with each status.</param>
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
