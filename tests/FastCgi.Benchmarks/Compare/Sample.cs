using FastCgi.Benchmarks.Loads;

namespace FastCgi.Benchmarks.Compare;

/// <summary>One target in one round.</summary>
/// <param name="Load">What the load generator counted.</param>
/// <param name="BackEndCpu">User and system, of all processes of the target.</param>
/// <param name="FrontCpu">The same of what stands before it.</param>
/// <param name="MemoryBytes">Of all processes of the target, at the end of the round.</param>
internal sealed record Sample(LoadResult Load, TimeSpan BackEndCpu, TimeSpan FrontCpu, long MemoryBytes)
{
    public double RequestsPerSecond => Load.Requests / Load.Duration.TotalSeconds;

    public double BackEndCpuPerRequest => PerRequest(BackEndCpu);

    public double FrontCpuPerRequest => PerRequest(FrontCpu);

    /// <summary>In microseconds.</summary>
    private double PerRequest(TimeSpan time) =>
        Load.Requests == 0 ? double.NaN : time.TotalMicroseconds / Load.Requests;
}
