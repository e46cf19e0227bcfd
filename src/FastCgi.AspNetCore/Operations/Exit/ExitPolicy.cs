namespace FastCgi.AspNetCore.Operations.Exit;

/// <summary>Decides when the process ends by itself. A pure rule over figures and time, asked once a second.</summary>
/// <param name="idleFor">
/// Time without a request and without a connection that stays; null for never. A connection that brings none does
/// not count: the watchdog and the checks of a load balancer make some all the time.
/// </param>
/// <param name="requests">Requests since the start; null for never.</param>
/// <param name="memory">Bytes in memory; null for never.</param>
/// <param name="jitter">From 0 to 1: how much of the tenth that is added to each limit.</param>
internal sealed class ExitPolicy(TimeSpan? idleFor, long? requests, long? memory, double jitter)
{
    private const double MostAdded = 0.1;

    private readonly double _factor = 1 + (MostAdded * jitter);
    private TimeSpan? _idleSince;
    private long _requestsBefore = -1;

    /// <summary>Why the process is to end now; null for not yet.</summary>
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
/// The figures by which the server decides to exit. The caller reads <paramref name="Open"/> first and
/// <paramref name="Requests"/> second: a request that comes and goes between two looks shows in the latter.
/// </summary>
/// <param name="Open">Connections that are open, and requests whose application runs.</param>
/// <param name="Requests">Requests since the start.</param>
/// <param name="Memory">Bytes of the process in memory.</param>
internal readonly record struct ExitFigures(long Open, long Requests, long Memory);

/// <summary>Why the process ends by itself.</summary>
internal enum ExitReason
{
    Idle,
    Requests,
    Memory,
}
