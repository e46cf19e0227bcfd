namespace FastCgi.Benchmarks.Compare;

/// <summary>One target in one table: the medians of its rounds, or why there are none.</summary>
internal sealed record Row(string Target, string? Reason, IReadOnlyList<Sample> Samples)
{
    public double RequestsPerSecond => Median(static sample => sample.RequestsPerSecond);

    public double MedianMilliseconds => Median(static sample => sample.Load.Median.TotalMilliseconds);

    public double Percentile99Milliseconds => Median(static sample => sample.Load.Percentile99.TotalMilliseconds);

    /// <summary>In microseconds.</summary>
    public double BackEndCpuPerRequest => Median(static sample => sample.BackEndCpuPerRequest);

    /// <inheritdoc cref="BackEndCpuPerRequest"/>
    public double FrontCpuPerRequest => Median(static sample => sample.FrontCpuPerRequest);

    public double Mebibytes => Median(static sample => sample.MemoryBytes) / (1024 * 1024);

    /// <summary>Of all rounds together: a median would hide those of one.</summary>
    public long Failed => Samples.Sum(static sample => sample.Load.Failed);

    private double Median(Func<Sample, double> value) => Statistics.Median(Samples.Select(value));
}
