using System.Diagnostics;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Server;

/// <summary>What every connection and request of one started server shares.</summary>
internal sealed class ServerContext
{
    private static uint s_requestNumber;

    private readonly long? _mostRunning;
    private long _runningRequests;
    private long _openRequests;
    private long _mostOpenRequests;
    private long _limitReached;
    private long _slowRequests;
    private long _upgraded;
    private int _warned;

    public ServerContext(FastCgiServerOptions options, ILoggerFactory loggers, TimeProvider timeProvider)
    {
        Options = options;
        Loggers = loggers;
        _mostRunning = options.Limits.MaxConcurrentRequests;
        MaxUnsentBytes = options.Limits.MaxResponseBufferSize ?? long.MaxValue;
        TimeProvider = timeProvider;
        Clock = new ServerClock(timeProvider);
        ForeignProtocols = new LogInterval(timeProvider);
        RequestLog = GuardedLogger.Create(loggers, LogCategories.Requests);
        ConnectionLog = GuardedLogger.Create(loggers, LogCategories.Connections);
        SlowLog = GuardedLogger.Create(loggers, LogCategories.SlowRequests);
        BadRequestLog = GuardedLogger.Create(loggers, LogCategories.BadRequests);
    }

    public FastCgiServerOptions Options { get; }

    public ILoggerFactory Loggers { get; }

    public FastCgiServerLimits Limits => Options.Limits;

    /// <summary>MaxResponseBufferSize, asked for at each flush.</summary>
    public long MaxUnsentBytes { get; }

    public TimeProvider TimeProvider { get; }

    public ServerClock Clock { get; }

    public BufferPool Buffers { get; init; } = BufferPool.Shared;

    public ILogger RequestLog { get; }

    public ILogger ConnectionLog { get; }

    public ILogger BadRequestLog { get; }

    public ILogger SlowLog { get; }

    /// <summary>When to tell of peers that spoke something other than FastCGI from their first byte.</summary>
    public LogInterval ForeignProtocols { get; }

    /// <summary>Pages that the server answers itself; null for none. Set before the first connection.</summary>
    public IServerPages? Pages { get; set; }

    /// <summary>Called with each tick of the heartbeat.</summary>
    public Action? OnTick { get; set; }

    /// <summary>Null where the host has no DiagnosticListener.</summary>
    public DiagnosticListener? DiagnosticListener { get; init; }

    /// <summary>Null where the host has no IMeterFactory.</summary>
    public ServerMetrics? Metrics { get; init; }

    /// <summary>
    /// The host has begun to stop, which is before the server has. Whoever holds upgraded connections closes them then.
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

    /// <summary>Requests that ran longer than SlowRequestAfter.</summary>
    public long SlowRequests => Volatile.Read(ref _slowRequests);

    /// <summary>How often MaxConcurrentRequests was reached.</summary>
    public long LimitReached => Volatile.Read(ref _limitReached);

    /// <summary>
    /// Numbers requests for their trace identifiers; unique in the process together with a connection id.
    /// </summary>
    public static uint NextRequestNumber() => Interlocked.Increment(ref s_requestNumber);

    /// <summary>Whether requests are counted as running, which costs.</summary>
    public bool CountsRunningRequests => _mostRunning is not null;

    /// <summary>
    /// Counts one more request. Beyond MaxConcurrentRequests it does not count as running: it is refused, unless it may
    /// be for a page of the server.
    /// </summary>
    public RequestAdmission OpenRequest()
    {
        var admission = RequestAdmission.Application;
        if (_mostRunning is { } most && Interlocked.Increment(ref _runningRequests) > most)
        {
            LeaveRunningRequests();
            Interlocked.Increment(ref _limitReached);
            if (Pages is null)
            {
                return RequestAdmission.Refused;
            }

            admission = RequestAdmission.PagesOnly;
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

    public void CountSlowRequest() => Interlocked.Increment(ref _slowRequests);

    public void CloseRequest()
    {
        if (Interlocked.Decrement(ref _openRequests) == 0)
        {
            OnRequestsGone?.Invoke();
        }
    }

    /// <summary>Counts one more upgraded connection; false beyond the limit, and then it is not counted.</summary>
    public bool TryOpenUpgraded()
    {
        if (Interlocked.Increment(ref _upgraded) <= (Limits.MaxConcurrentUpgradedConnections ?? long.MaxValue))
        {
            Metrics?.UpgradedStarted();
            return true;
        }

        Interlocked.Decrement(ref _upgraded);
        return false;
    }

    public void CloseUpgraded()
    {
        Interlocked.Decrement(ref _upgraded);
        Metrics?.UpgradedEnded();
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
