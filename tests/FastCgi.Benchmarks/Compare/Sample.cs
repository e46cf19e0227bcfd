namespace FastCgi.Benchmarks.Compare;

/// <summary>One target in one round.</summary>
/// <param name="BackEndCpu">User and system, of all processes of the target.</param>
/// <param name="FrontCpu">The same of what stands before it.</param>
/// <param name="MemoryBytes">Of all processes of the target, at the end of the round.</param>
internal sealed record Sample(LoadResult Load, TimeSpan BackEndCpu, TimeSpan FrontCpu, long MemoryBytes)
{
    /// <summary>Measures one target once.</summary>
    public static async Task<Sample> TakeAsync(IRoute route, RunningTarget target, LoadOrder order)
    {
        var backEndCpu = target.ReadUsage().Cpu;
        var frontCpu = route.ReadFrontCpu();
        var load = await route.LoadAsync(target, order);
        var usage = target.ReadUsage();
        return new Sample(load, usage.Cpu - backEndCpu, route.ReadFrontCpu() - frontCpu, usage.MemoryBytes);
    }

    public double RequestsPerSecond => Load.Requests / Load.Duration.TotalSeconds;

    public double BackEndCpuPerRequest => PerRequest(BackEndCpu);

    public double FrontCpuPerRequest => PerRequest(FrontCpu);

    /// <summary>In microseconds.</summary>
    private double PerRequest(TimeSpan time) =>
        Load.Requests == 0 ? double.NaN : time.TotalMicroseconds / Load.Requests;
}
