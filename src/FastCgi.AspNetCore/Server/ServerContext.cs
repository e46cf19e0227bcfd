using System.Diagnostics;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Server;

/// <summary>The objects that every connection and request of one started server shares.</summary>
internal sealed class ServerContext(FastCgiServerOptions options, ILoggerFactory loggers, TimeProvider timeProvider)
{
    private static uint s_requestNumber;

    private long _runningRequests;
    private long _openRequests;
    private long _mostOpenRequests;
    private long _limitReached;
    private long _slowRequests;
    private long _rejectedRequests;
    private long _ordinaryConnections;
    private long _upgraded;
    private int _warned;

    public FastCgiServerOptions Options { get; } = options;

    public ILoggerFactory Loggers { get; } = loggers;

    /// <summary>
    /// A reload puts another object here. What a request and a connection have taken of the old one stays with them.
    /// </summary>
    public FastCgiServerLimits Limits
    {
        get;
        set
        {
            field = value;
            MaxUnsentBytes = value.MaxResponseBufferSize ?? long.MaxValue;
        }
    } = options.Limits;

    /// <summary>MaxResponseBufferSize, asked for at each flush.</summary>
    public long MaxUnsentBytes { get; private set; } = options.Limits.MaxResponseBufferSize ?? long.MaxValue;

    public TimeProvider TimeProvider { get; } = ServerTime.For(timeProvider);

    public ServerClock Clock { get; } = new(timeProvider);

    public BufferPool Buffers { get; init; } = BufferPool.Shared;

    public ILogger RequestLog { get; } = GuardedLogger.Create(loggers, LogCategories.Requests);

    public ILogger ConnectionLog { get; } = GuardedLogger.Create(loggers, LogCategories.Connections);

    public ILogger BadRequestLog { get; } = GuardedLogger.Create(loggers, LogCategories.BadRequests);

    public ILogger SlowLog { get; } = GuardedLogger.Create(loggers, LogCategories.SlowRequests);

    /// <summary>When to tell of peers that spoke something other than FastCGI from their first byte.</summary>
    public LogInterval ForeignProtocols { get; } = new(timeProvider);

    /// <summary>Pages that the server answers itself; null for none. Set before the first connection.</summary>
    public ServerPages? Pages { get; set; }

    /// <summary>Called with each tick of the heartbeat.</summary>
    public Action? OnTick { get; set; }

    /// <summary>The heartbeat goes on while there is no connection and no request.</summary>
    public bool TicksWhenIdle { get; set; }

    /// <summary>Null where the host has no DiagnosticListener.</summary>
    public DiagnosticListener? DiagnosticListener { get; init; }

    /// <summary>Null where the host has no IMeterFactory.</summary>
    public ServerMetrics? Metrics { get; init; }

    /// <summary>
    /// The host has begun to stop, which is before the server has. Owners of upgraded connections close them then.
    /// </summary>
    public CancellationToken ApplicationStopping { get; init; }

    /// <summary>Called when the last open request has gone; what a stop waits for.</summary>
    public Action? OnRequestsGone { get; set; }

    /// <summary>
    /// Requests until END_REQUEST is out and the application has left, with its callbacks: what a stop awaits.
    /// </summary>
    public long OpenRequests => Volatile.Read(ref _openRequests);

    /// <summary>The most of them at a time since the start.</summary>
    public long MostOpenRequests => Volatile.Read(ref _mostOpenRequests);

    public long SlowRequests => Volatile.Read(ref _slowRequests);

    public long RejectedRequests => Volatile.Read(ref _rejectedRequests);

    public long LimitReached => Volatile.Read(ref _limitReached);

    /// <summary>
    /// Numbers requests for their trace identifiers; unique in the process together with a connection id.
    /// </summary>
    public static uint NextRequestNumber() => Interlocked.Increment(ref s_requestNumber);

    /// <summary>As many requests run as MaxConcurrentRequests allows.</summary>
    public bool IsFull => Volatile.Read(ref _runningRequests) >= Limits.MaxConcurrentRequests;

    /// <summary>
    /// Counts one more request. Beyond MaxConcurrentRequests it does not count as running: it is refused, unless it may
    /// be for a page of the server.
    /// </summary>
    public RequestAdmission OpenRequest()
    {
        var admission = RequestAdmission.Application;
        if (Limits.MaxConcurrentRequests is { } most)
        {
            admission = RequestAdmission.CountedApplication;
            if (Interlocked.Increment(ref _runningRequests) > most)
            {
                LeaveRunningRequests();
                Interlocked.Increment(ref _limitReached);
                if (Pages is null)
                {
                    return RequestAdmission.Refused;
                }

                admission = RequestAdmission.PagesOnly;
            }
        }

        long open = Interlocked.Increment(ref _openRequests);
        if (open > _mostOpenRequests)
        {
            RaiseMostOpen(open);
        }

        return admission;
    }

    /// <summary>Makes room for another running request, where they are counted.</summary>
    public void LeaveRunningRequests() => Interlocked.Decrement(ref _runningRequests);

    public void CountRejectedRequest() => Interlocked.Increment(ref _rejectedRequests);

    public void CountSlowRequest() => Interlocked.Increment(ref _slowRequests);

    public void CloseRequest()
    {
        if (Interlocked.Decrement(ref _openRequests) == 0)
        {
            OnRequestsGone?.Invoke();
        }
    }

    /// <summary>
    /// Counts one more connection that is not upgraded; false beyond MaxConcurrentConnections, and then it is not
    /// counted. An upgraded one counts for its own limit, as on Kestrel.
    /// </summary>
    public bool TryCountConnection()
    {
        if (Interlocked.Increment(ref _ordinaryConnections) <= (Limits.MaxConcurrentConnections ?? long.MaxValue))
        {
            return true;
        }

        CountConnection(isOrdinary: false);
        return false;
    }

    /// <summary>A connection is ordinary again, or not any more: it is upgraded, or closed.</summary>
    public void CountConnection(bool isOrdinary) => Interlocked.Add(ref _ordinaryConnections, isOrdinary ? 1 : -1);

    /// <summary>Counts one more upgraded connection; false beyond the limit, and then it is not counted.</summary>
    /// <param name="endPoint">Where its connection was accepted.</param>
    /// <param name="isMeasured">For <see cref="CloseUpgraded"/>.</param>
    public bool TryOpenUpgraded(EndPoint? endPoint, out bool isMeasured)
    {
        isMeasured = false;
        if (Interlocked.Increment(ref _upgraded) <= (Limits.MaxConcurrentUpgradedConnections ?? long.MaxValue))
        {
            isMeasured = Metrics?.UpgradedStarted(endPoint) == true;
            return true;
        }

        Interlocked.Decrement(ref _upgraded);
        return false;
    }

    public void CloseUpgraded(EndPoint? endPoint, bool isMeasured)
    {
        Interlocked.Decrement(ref _upgraded);
        if (isMeasured)
        {
            Metrics!.UpgradedEnded(endPoint);
        }
    }

    public bool HasWarned(ServerWarning warning) => (Volatile.Read(ref _warned) & (int)warning) != 0;

    /// <summary>True for the first caller only.</summary>
    public bool TryWarnOnce(ServerWarning warning) =>
        (Interlocked.Or(ref _warned, (int)warning) & (int)warning) == 0;

    private void RaiseMostOpen(long open)
    {
        long most = Volatile.Read(ref _mostOpenRequests);
        while (open > most)
        {
            long found = Interlocked.CompareExchange(ref _mostOpenRequests, open, most);
            most = found == most ? open : found;
        }
    }

    /// <summary>Judges the declared sizes of params before they are kept.</summary>
    public NameValuePairScanner NewScanner() => new(
        Limits.MaxRequestParametersTotalSize,
        maxLength: Limits.MaxRequestParametersTotalSize,
        Limits.MaxRequestParameterCount);
}
