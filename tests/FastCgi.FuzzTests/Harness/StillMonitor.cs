using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.FuzzTests.Harness;

/// <summary>Holds the monitor of inline runs, whose ticks would follow the time of this machine and not a seed.</summary>
internal sealed class StillMonitor : IDisposable
{
    public StillMonitor() => InlineRunMonitor.Shared.Ticking.Wait();

    public void Dispose() => InlineRunMonitor.Shared.Ticking.Release();
}
