using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Requests.Head;
using FastCgi.AspNetCore.Requests.Slot;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// One id's place on a connection: the id, what BEGIN_REQUEST said, and where the request stands. Pooled together with
/// its request, so that a request costs no allocation. The connection's gate guards everything that changes.
/// </summary>
internal sealed class RequestSlot : IRequestSlot, IThreadPoolWorkItem
{
    private readonly ServerContext _server;

    // Set when the request begins, cleared when it returns to the pool.
    private ISlotHost? _host;

    // Guarded by the gate. Waits for the end of a body that the application does not read.
    private IDisposable? _drain;

    // Guarded by the gate.
    private WaitingRate _bodyRate;
    private WaitingRate _responseRate;
    private long _tickedAt;

    // Written under the gate: the thread that brings the body something, and what the application does next with it.
    private int _routingThread;
    private Continuation _continuation;

    // Written before the slot is queued, read when it has its turn.
    private bool _isQueueMeasured;

    public RequestSlot(ServerContext server, ApplicationRunner runner)
    {
        _server = server;
        Request = new FastCgiRequest(server, runner, this);
    }

    public FastCgiRequest Request { get; }

    public ushort RequestId { get; private set; }

    public FastCgiRole Role { get; private set; }

    /// <inheritdoc/>
    public bool KeepConnection { get; private set; }

    /// <summary>Where the request stands. Guarded by the gate.</summary>
    public RequestStage Stage { get; private set; }

    /// <summary>From the moment the request is ready until its application has left. Guarded by the gate.</summary>
    public bool IsInApplication { get; private set; }

    /// <summary>When BEGIN_REQUEST came: exact if the server has a status page, else to the second.</summary>
    public long StartedAt { get; private set; }

    /// <summary>The wire has forgotten the request while the application ran. Guarded by the gate.</summary>
    public bool IsAbandoned { get; set; }

    /// <summary>
    /// Nothing of the body is still to come, so END_REQUEST may follow the response at once. lighttpd ends no body by a
    /// record where it may upgrade.
    /// </summary>
    public bool CanEndNow => Request.Body.HasEnded || Request.Body.DeclaredLength == 0 || Role != FastCgiRole.Responder
        || Request.IsUpgraded || (Host.AllowsUpgrade && Request.Body.IsWhole);

    /// <summary>
    /// The peer may send other requests beside this one: the connection outlives this one, and the peer is not nginx,
    /// which never multiplexes.
    /// </summary>
    public bool MayHaveCompany => KeepConnection && !Request.IsUpgraded && !Request.IsFromNginx;

    public IRequestConnection Connection => Host;

    private ISlotHost Host => _host ?? throw new InvalidOperationException("The slot serves no request.");

    public void Begin(ISlotHost host, ushort requestId, BeginRequestBody body, RequestAdmission admission)
    {
        _host = host;
        RequestId = requestId;
        Role = body.Role;
        KeepConnection = body.KeepConnection;
        Stage = RequestStage.Params;
        IsInApplication = false;
        IsAbandoned = IsToldSlow = false;
        Request.Begin(admission);
        StartedAt = _server.Pages is null ? Request.BegunAt : _server.TimeProvider.GetTimestamp();
        _bodyRate = default;
        _responseRate = default;
        _tickedAt = Request.BegunAt;
    }

    /// <summary>Which stage may follow which.</summary>
    public static bool Allows(RequestStage from, RequestStage to) => (from, to) switch
    {
        (RequestStage.Params, RequestStage.AwaitingBody) => true,

        // From the params too: what is rejected, or takes too long, waits for no body.
        (RequestStage.Params or RequestStage.AwaitingBody, RequestStage.Running) => true,
        (RequestStage.Running, RequestStage.Draining) => true,
        (not RequestStage.Ended, RequestStage.Ended) => true,
        _ => false,
    };

    /// <summary>The only place where the stage changes.</summary>
    public void Advance(RequestStage to)
    {
        if (!Allows(Stage, to))
        {
            throw new InvalidOperationException($"A request does not go from {Stage} to {to}.");
        }

        Probe.Count(StateTable.Stage, (int)Stage, (int)to);
        Stage = to;
    }

    /// <summary>
    /// The request is ready for its application. One that fails to open is not in it, and an abort ends it.
    /// </summary>
    public void Open()
    {
        Advance(RequestStage.Running);
        Request.Open();
        IsInApplication = true;
    }

    /// <summary>
    /// Another request has this thread first: this one waits for its turn, and goes to another thread if that lasts.
    /// </summary>
    public void RunAfterOthers()
    {
        MeasureQueue();
        InlineRuns.Enqueue(this);
    }

    /// <summary>Another thread runs the request.</summary>
    public void RunElsewhere()
    {
        MeasureQueue();
        PoolWork.Queue(this);
    }

    /// <summary>The request was rejected: it is answered before others that wait for a thread.</summary>
    public void RunRejected() => EndingThreads.Queue(static slot => slot.Request.RunInline(), this);

    /// <summary>The request has its turn.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        if (_isQueueMeasured)
        {
            _server.Metrics!.RequestDequeued(Host.LocalEndPoint);
        }

        Request.RunInline();
    }

    /// <summary>Brings a piece of the body.</summary>
    /// <returns>What the application does next with it.</returns>
    public Continuation Receive(ReadOnlySpan<byte> content, bool mayPause)
    {
        _routingThread = Environment.CurrentManagedThreadId;
        try
        {
            Request.Body.Write(content, mayPause);
        }
        catch
        {
            TakeContinuation().Queue();
            throw;
        }

        return TakeContinuation();
    }

    /// <summary>The body has ended.</summary>
    /// <returns>What the application does next.</returns>
    public Continuation EndBody()
    {
        _routingThread = Environment.CurrentManagedThreadId;
        try
        {
            Request.Body.End();
        }
        catch
        {
            TakeContinuation().Queue();
            throw;
        }

        return TakeContinuation();
    }

    /// <summary>SlowRequestAfter is over, and the log has named the request. Guarded by the gate.</summary>
    public bool IsToldSlow { get; set; }

    /// <summary>The heartbeat has come. A body that arrives too slowly fails.</summary>
    /// <returns>False: the peer takes the response too slowly.</returns>
    public bool OnTick(ServerClock clock)
    {
        TimeSpan sinceLast = clock.Since(_tickedAt);
        _tickedAt = clock.Now;
        if (Stage is not (RequestStage.Running or RequestStage.Draining)
            || Request.FeaturesWithRates is not { } features)
        {
            return true;
        }

        if (features.MinBodyDataRate(_server.Limits) is { } least
            && _bodyRate.IsTooLow(Request.Body.ReceivedWhileWaiting, sinceLast, least))
        {
            Request.Body.Fail(BodyFailures.TooSlow(least.BytesPerSecond));
        }

        // The features are there a moment before the response.
        return !_responseRate.IsTooLow(
            Request.Response?.WrittenWhileWaiting, sinceLast, features.MinResponseDataRate(_server.Limits));
    }

    /// <summary>END_REQUEST waits until <paramref name="drain"/> is over.</summary>
    public void BeginDrain(IDisposable drain)
    {
        Advance(RequestStage.Draining);
        _drain = drain;
    }

    public bool IsDrainedBy(IDisposable drain) => _drain == drain;

    /// <summary>The id is free.</summary>
    public void Forget()
    {
        Advance(RequestStage.Ended);
        _drain?.Dispose();
        _drain = null;
    }

    /// <summary>The application has left. True: the wire is done with the request too.</summary>
    public bool LeaveApplication()
    {
        IsInApplication = false;
        return Stage == RequestStage.Ended;
    }

    /// <summary>Forgets the request that ended.</summary>
    public void Reset()
    {
        if (Request.IsBegun)
        {
            Request.Reset();
        }

        _host = null;
    }

    /// <summary>Method and path for a log. Under the gate.</summary>
    public string DescribeTarget() => Stage == RequestStage.Params ? "a request" : Request.DescribeTarget();

    /// <summary>Where the request stands, for a log. Under the gate.</summary>
    public string DescribeState() => Stage switch
    {
        RequestStage.Params => "its params were still to come",
        RequestStage.AwaitingBody => "its body was still to come",
        RequestStage.Draining => "the rest of its body was still to come",
        _ => Request.HasResponseStarted ? "its response had begun" : "its response had not begun",
    };

    /// <summary>Describes the wait of a running request, as far as it is known. Under the gate.</summary>
    public string DescribeWait() =>
        Request.Body.ReceivedWhileWaiting is not null ? "it waits for more of its body"
        : Host.Output.IsFull ? "it waits for the web server to take the response"
        : Request.KeepsThread ? "its handler blocks a thread"
        : Request.HasResponseStarted ? "its response has begun"
        : "its response has not begun";

    /// <summary>For the status page. Under the gate, or while the application is inside.</summary>
    public RequestSnapshot Describe(long begunOnConnection)
    {
        string state = IsAbandoned ? "Ending" : Stage switch
        {
            RequestStage.Params => "Reading headers",
            RequestStage.AwaitingBody => "Getting request informations",
            RequestStage.Running => "Running",
            _ => "Finishing",
        };
        TimeSpan age = _server.TimeProvider.GetElapsedTime(StartedAt);
        var snapshot = new RequestSnapshot(state, age > TimeSpan.Zero ? age : TimeSpan.Zero, begunOnConnection);
        return Stage == RequestStage.Params ? snapshot : RequestDescription.Of(Request.Head.Cgi, snapshot);
    }

    public bool TryUpgrade() => Host.TryUpgrade(this);

    public bool End(ArraySegment<byte> last, ProtocolStatus status) => Host.End(this, last, status);

    public void Tear(object? owner) => _host?.Tear(this, owner);

    public void OnApplicationDone(bool isOffTheWire) => Host.OnApplicationDone(this, isOffTheWire);

    public bool TryContinueAfterRead(Action<object?> action, object? state)
    {
        // Another thread's id is never there for this thread to see.
        if (_routingThread != Environment.CurrentManagedThreadId || _continuation.IsThere)
        {
            return false;
        }

        _continuation = new Continuation(Request, action, state);
        return true;
    }

    private void MeasureQueue()
    {
        _isQueueMeasured = _server.Metrics?.MeasuresQueuedRequests == true;
        if (_isQueueMeasured)
        {
            _server.Metrics!.RequestQueued(Host.LocalEndPoint);
        }
    }

    private Continuation TakeContinuation()
    {
        Continuation taken = _continuation;
        _continuation = default;
        _routingThread = 0;
        return taken;
    }
}
