using System.Diagnostics;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Server;

/// <summary>The objects that all connections and requests of one started server share.</summary>
internal sealed class ServerContext(FastCgiServerOptions options, ILoggerFactory loggers, TimeProvider timeProvider)
{
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

    /// <summary>Replaced by a reload. Values that a request or a connection has read do not change for it.</summary>
    public FastCgiServerLimits Limits
    {
        get;
        set
        {
            field = value;
            MaxUnsentBytes = value.MaxResponseBufferSize ?? long.MaxValue;
        }
    } = options.Limits;

    /// <summary>MaxResponseBufferSize, read at each flush.</summary>
    public long MaxUnsentBytes { get; private set; } = options.Limits.MaxResponseBufferSize ?? long.MaxValue;

    public TimeProvider TimeProvider { get; } = ServerTime.For(timeProvider);

    public ServerClock Clock { get; } = new(timeProvider);

    public BufferPool Buffers { get; init; } = BufferPool.Shared;

    public ILogger RequestLog { get; } = GuardedLogger.Create(loggers, LogCategories.Requests);

    public ILogger ConnectionLog { get; } = GuardedLogger.Create(loggers, LogCategories.Connections);

    public ILogger BadRequestLog { get; } = GuardedLogger.Create(loggers, LogCategories.BadRequests);

    public ILogger SlowLog { get; } = GuardedLogger.Create(loggers, LogCategories.SlowRequests);

    /// <summary>Limits the log entries about peers whose first byte is not FastCGI.</summary>
    public LogInterval ForeignProtocols { get; } = new(timeProvider);

    /// <summary>Pages of the server itself; null for none. Set before the first connection.</summary>
    public ServerPages? Pages { get; set; }

    public Action? OnTick { get; set; }

    /// <summary>True to keep the heartbeat running even without connections and requests.</summary>
    public bool TicksWhenIdle { get; set; }

    /// <summary>Null if the host has no DiagnosticListener.</summary>
    public DiagnosticListener? DiagnosticListener { get; init; }

    /// <summary>Null if the host has no IMeterFactory.</summary>
    public ServerMetrics? Metrics { get; init; }

    /// <summary>Cancelled when the host begins to stop, before the server: upgraded connections are to close.</summary>
    public CancellationToken ApplicationStopping { get; init; }

    /// <summary>Called when the last open request has ended. A stop waits for it.</summary>
    public Action? OnRequestsGone { get; set; }

    /// <summary>
    /// Requests until END_REQUEST is sent and the application has left, including its callbacks, even if the client
    /// has left before. A stop waits for them.
    /// </summary>
    public long OpenRequests => Volatile.Read(ref _openRequests);

    /// <summary>The highest number of open requests since the start.</summary>
    public long MostOpenRequests => Volatile.Read(ref _mostOpenRequests);

    public long SlowRequests => Volatile.Read(ref _slowRequests);

    public long RejectedRequests => Volatile.Read(ref _rejectedRequests);

    public long LimitReached => Volatile.Read(ref _limitReached);

    /// <summary>True if as many requests run as MaxConcurrentRequests allows.</summary>
    public bool IsFull => Volatile.Read(ref _runningRequests) >= Limits.MaxConcurrentRequests;

    /// <summary>
    /// Counts a new request. Beyond MaxConcurrentRequests it does not count as running, and is refused unless it may be
    /// for a page of the server.
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

    /// <summary>Makes room for another running request, if there is a limit.</summary>
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
    /// Counts a new connection that is not upgraded. False, without counting it, beyond MaxConcurrentConnections. As in
    /// Kestrel, an upgraded connection counts for its own limit.
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

    /// <summary>Counts a connection as ordinary, or stops counting it because it is upgraded or closed.</summary>
    public void CountConnection(bool isOrdinary) => Interlocked.Add(ref _ordinaryConnections, isOrdinary ? 1 : -1);

    /// <summary>
    /// Counts a new upgraded connection. False, without counting it, beyond the limit. <see cref="CloseUpgraded"/>
    /// needs <paramref name="isMeasured"/>.
    /// </summary>
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

    /// <summary>Checks the declared sizes of params before they are stored.</summary>
    public NameValuePairScanner NewScanner() => new(
        Limits.MaxRequestParametersTotalSize,
        maxLength: Limits.MaxRequestParametersTotalSize,
        Limits.MaxRequestParameterCount);
}

/// <summary>The decision about a request when it begins.</summary>
internal enum RequestAdmission
{
    /// <summary>Admitted for the application. There is no MaxConcurrentRequests.</summary>
    Application,

    /// <summary>Admitted for the application, and counted for MaxConcurrentRequests.</summary>
    CountedApplication,

    /// <summary>Admitted for pages of the server only. Refused when the params show that it wants no page.</summary>
    PagesOnly,

    Refused,
}

/// <summary>Configuration faults, mostly of the web server. Each is logged once, not with every request.</summary>
[Flags]
internal enum ServerWarning
{
    LargeResponseHead = 1,
    HostWithoutPort = 2,
    ParamsMissing = 4,
    CutBody = 8,
    HeadersOfFileLost = 16,
    ForwardingHeader = 32,
    NativeGrpc = 64,
    RemoteAddressUnreadable = 128,
    PhpLeftovers = 256,
    BodyNotSpilled = 512,
}
