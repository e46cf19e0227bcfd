namespace FastCgi.AspNetCore.Operations.Exit;

/// <summary>Decides when the process exits by itself. A pure rule over figures and time.</summary>
/// <param name="idleFor">
/// Time without a request or a lasting connection; null for never. Short connections without requests do not count: the
/// watchdog and health checks of load balancers open them all the time.
/// </param>
/// <param name="requests">Requests since the start; null for never.</param>
/// <param name="memory">Bytes in memory; null for never.</param>
/// <param name="jitter">From 0 to 1: the share of a tenth that is added to each limit.</param>
internal sealed class ExitPolicy(TimeSpan? idleFor, long? requests, long? memory, double jitter)
{
    private const double MostAdded = 0.1;

    private readonly double _factor = 1 + (MostAdded * jitter);
    private TimeSpan? _idleSince;
    private long _requestsBefore = -1;

    /// <summary>The reason to exit now, or null.</summary>
    public ExitReason? Judge(TimeSpan now, ExitFigures figures)
    {
        bool isIdle = figures.Open == 0 && figures.Requests == _requestsBefore;
        _requestsBefore = figures.Requests;
        _idleSince = isIdle ? _idleSince ?? now : null;
        return figures.Requests >= requests * _factor ? ExitReason.Requests
            : figures.Memory >= memory * _factor ? ExitReason.Memory
            : (now - _idleSince) / _factor >= idleFor ? ExitReason.Idle
            : null;
    }
}

/// <summary>
/// The figures for the decision to exit. The caller reads <paramref name="Open"/> before <paramref name="Requests"/>,
/// so that a request that begins and ends between two checks is seen in the latter.
/// </summary>
/// <param name="Open">Open connections, and requests whose application runs.</param>
/// <param name="Requests">Requests since the start.</param>
/// <param name="Memory">The process's bytes in memory.</param>
internal readonly record struct ExitFigures(long Open, long Requests, long Memory);

/// <summary>The reason why the process exits by itself.</summary>
internal enum ExitReason
{
    Idle,
    Requests,
    Memory,
}
