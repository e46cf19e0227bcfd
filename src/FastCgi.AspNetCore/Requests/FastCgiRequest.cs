using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// One id's life on a connection: what BEGIN_REQUEST said, head, body in, response out, end. Pooled, so that a request
/// costs few allocations. The connection drives this part under its gate; the part Application is what the application
/// drives, through objects that belong to one request alone (features, response, abort signal, reader of the body).
/// </summary>
internal sealed partial class FastCgiRequest : IInlineRun, IRequestBodyOwner, IThreadPoolWorkItem
{
    /// <summary>Bytes of a param that the status page shows.</summary>
    private const int MostShown = 1024;

    private readonly ApplicationRunner _runner;

    // Set when the request begins, cleared when it returns to the pool.
    private IRequestConnection? _connection;

    // Guarded by the gate. Waits for the end of a body that the application does not read.
    private IDisposable? _drain;

    // Guarded by the gate.
    private WaitingRate _bodyRate;
    private WaitingRate _responseRate;
    private long _tickedAt;
    private bool _countsAsRunning;
    private RequestAdmission _admission;

    // Written under the gate.
    private volatile bool _isUpgraded;

    // Written before the request is queued, read when it has its turn.
    private bool _isQueueMeasured;

    public FastCgiRequest(ServerContext server, ApplicationRunner runner)
    {
        Server = server;
        _runner = runner;
        Head = new RequestHead(server);
        Body = new RequestBody(this, server.Options.Limits.MaxRequestBufferSize, server.Buffers);
        Records = new ResponseRecords(server.Buffers);
    }

    public ServerContext Server { get; }

    public RequestHead Head { get; }

    public RequestBody Body { get; }

    /// <summary>The records of the response. They have one owner, and turn every other writer away.</summary>
    public ResponseRecords Records { get; }

    /// <exception cref="InvalidOperationException">No request is served.</exception>
    public IRequestConnection Connection =>
        _connection ?? throw new InvalidOperationException("The object serves no request.");

    public ushort RequestId { get; private set; }

    public FastCgiRole Role { get; private set; }

    /// <summary>FCGI_KEEP_CONN (FastCGI 1.0, section 5.1).</summary>
    public bool KeepConnection { get; private set; }

    /// <summary>Where the request stands. Guarded by the gate.</summary>
    public RequestStage Stage { get; private set; }

    /// <summary>From <see cref="Begin"/> until the request is forgotten.</summary>
    public bool IsBegun { get; private set; }

    /// <summary>When BEGIN_REQUEST came, in the coarse time of the heartbeat.</summary>
    public long BegunAt { get; private set; }

    /// <summary>When BEGIN_REQUEST came: exact if the server has a status page, else to the second.</summary>
    public long StartedAt { get; private set; }

    /// <summary>From the moment the request is ready until its application has left. Guarded by the gate.</summary>
    public bool IsInApplication { get; private set; }

    /// <summary>The wire has forgotten the request while the application ran. Guarded by the gate.</summary>
    public bool IsAbandoned { get; set; }

    /// <summary>SlowRequestAfter is over, and the log has named the request. Guarded by the gate.</summary>
    public bool IsToldSlow { get; set; }

    /// <summary>True when the bytes are of the application's own protocol, which has no length and no limit.</summary>
    public bool IsUpgraded => _isUpgraded;

    /// <summary>The application never sees this request; <see cref="EndRejected"/> answers it.</summary>
    public bool IsRejected => Head.Rejection is not null || Head.Page is not null;

    public bool IsFromNginx => Head.Cgi.IsFromNginx;

    /// <summary>It is certain that no body comes, or that one does. Else the first STDIN record tells.</summary>
    public bool IsBodyKnown => IsRejected || Role != FastCgiRole.Responder
        || Head.Cgi.ContentLength is not null || Body.HasBegun;

    /// <summary>
    /// Nothing of the body is still to come, so END_REQUEST may follow the response at once. lighttpd ends no body by a
    /// record where it may upgrade.
    /// </summary>
    public bool CanEndNow => Body.HasEnded || Body.DeclaredLength == 0 || Role != FastCgiRole.Responder
        || IsUpgraded || (Connection.AllowsUpgrade && Body.IsWhole);

    /// <summary>
    /// The peer may send other requests beside this one: the connection outlives this one, and the peer is not nginx,
    /// which never multiplexes.
    /// </summary>
    public bool MayHaveCompany => KeepConnection && !IsUpgraded && !IsFromNginx;

    public void Begin(
        IRequestConnection connection, ushort requestId, BeginRequestBody body, RequestAdmission admission)
    {
        _connection = connection;
        RequestId = requestId;
        Role = body.Role;
        KeepConnection = body.KeepConnection;
        Stage = RequestStage.Params;
        IsInApplication = IsAbandoned = IsToldSlow = KeepsThread = false;
        IsBegun = true;
        _admission = admission;
        _countsAsRunning = admission == RequestAdmission.CountedApplication;
        BegunAt = _tickedAt = Server.Clock.Now;
        StartedAt = Server.Pages is null ? BegunAt : Server.TimeProvider.GetTimestamp();
        _bodyRate = _responseRate = default;
        Head.Begin();
        Body.Begin(connection);
        Records.Begin(connection, requestId);
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

    /// <summary>The params are complete. Under the gate.</summary>
    public void CompleteParams()
    {
        Head.Cgi.IsAuthorizer = Role == FastCgiRole.Authorizer;
        Head.CompleteParams();
        DeclareBody();
    }

    /// <summary>The SCGI head is complete. Under the gate.</summary>
    public void CompleteScgiHead()
    {
        Head.CompleteScgi();
        DeclareBody();
    }

    /// <summary>
    /// The request is ready for its application, which may read the body at any moment from now on. A request that
    /// fails to open is not in its application, and an abort ends it.
    /// </summary>
    public void Open()
    {
        Advance(RequestStage.Running);
        if (!IsRejected)
        {
            // A body without a length that has begun is read to its end. In a stop no further connection is upgraded: a
            // client that has just lost one comes again at once, and nobody would close this one before the time for
            // the stop is over.
            CgiRequest cgi = Head.Cgi;
            cgi.IsUpgradable = Connection.AllowsUpgrade && Role == FastCgiRole.Responder
                && Body.Received == 0
                && !Server.ApplicationStopping.IsCancellationRequested
                && cgi.AsksForUpgrade;
            if (cgi.IsUpgradable)
            {
                Body.DeclaredLength = 0;
            }

            _abort = new AbortSignal(Log);
            Body.Open();
            cgi.IsBodiless = Body.IsKnownEmpty;
            if (Head.HasCutBody)
            {
                // A read of it fails. An authorization by a request of its own has no body, and reads none, though the
                // client announced one: it is served.
                Body.Refuse(BodyFailures.Cut());
            }
        }

        IsInApplication = true;
    }

    /// <summary>Waits for this thread, which another request has first, or for another if that lasts.</summary>
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
    public void RunRejected() => EndingThreads.Queue(static request => request.RunInline(), this);

    /// <summary>The request has its turn.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        if (_isQueueMeasured)
        {
            Server.Metrics!.RequestDequeued(Connection.LocalEndPoint);
        }

        RunInline();
    }

    /// <summary>The heartbeat has come. A body that arrives too slowly fails.</summary>
    /// <returns>False: the peer takes the response too slowly.</returns>
    public bool OnTick(ServerClock clock)
    {
        TimeSpan sinceLast = clock.Since(_tickedAt);
        _tickedAt = clock.Now;
        if (Stage is not (RequestStage.Running or RequestStage.Draining)
            || _features is not { } features || IsUpgraded)
        {
            return true;
        }

        if (features.MinBodyDataRate is { } least
            && _bodyRate.IsTooLow(Body.ReceivedWhileWaiting, sinceLast, least))
        {
            Body.Fail(BodyFailures.TooSlow(least.BytesPerSecond));
        }

        // The features are there a moment before the response.
        return !_responseRate.IsTooLow(
            _response?.WrittenWhileWaiting, sinceLast, features.MinResponseDataRate);
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

    /// <summary>
    /// The peer has no more interest. Called under the connection's gate, so that the body has one writer at a time.
    /// </summary>
    /// <returns>Something of the response had left.</returns>
    public bool OnPeerAborted(Exception reason)
    {
        // First of all: whoever meets the failure of the body by the next lines has to see that it is no error.
        _abort?.Fire(isPeerGone: reason is ConnectionResetException);
        // Before the body ends: a head that waits for its end would leave then.
        bool hasLeft = Records.Detach();
        _response?.Waits.EndAll();
        if (IsUpgraded)
        {
            // What came before is the application's to read.
            Body.End();
        }
        else
        {
            Body.Fail(reason);
        }

        return hasLeft;
    }

    /// <summary>Under the connection's gate: the body has one writer at a time.</summary>
    public void TurnToUpgraded()
    {
        _isUpgraded = true;
        Body.Upgrade();
    }

    /// <summary>
    /// Forgets everything about the request that ended: the object may serve another connection. What the application
    /// abandoned of the request is dead.
    /// </summary>
    public void Release()
    {
        StopRunning();
        Records.Reset();
        Head.Reset();
        (_abort, _features, _response) = (null, null, null);
        _isUpgraded = KeepsThread = IsBegun = false;
        Body.Reset();
        _connection = null;
    }

    /// <summary>Method and path for a log. Under the gate.</summary>
    public string DescribeTarget() => Stage == RequestStage.Params ? "a request" : Head.Cgi.DescribeTarget();

    /// <summary>Where the request stands, for a log. Under the gate.</summary>
    public string DescribeState() => Stage switch
    {
        RequestStage.Params => "its params were still to come",
        RequestStage.AwaitingBody => "its body was still to come",
        RequestStage.Draining => "the rest of its body was still to come",
        _ => HasResponseStarted ? "its response had begun" : "its response had not begun",
    };

    /// <summary>Describes the wait of a running request, as far as it is known. Under the gate.</summary>
    public string DescribeWait() =>
        Body.ReceivedWhileWaiting is not null ? "it waits for more of its body"
        : Connection.Output.IsFull ? "it waits for the web server to take the response"
        : KeepsThread ? "its handler blocks a thread"
        : HasResponseStarted ? "its response has begun"
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
        TimeSpan age = Server.TimeProvider.GetElapsedTime(StartedAt);
        var snapshot = new RequestSnapshot(state, age > TimeSpan.Zero ? age : TimeSpan.Zero, begunOnConnection);
        return Stage == RequestStage.Params ? snapshot : snapshot with
        {
            Method = Shown(KnownParam.RequestMethod),
            Target = Shown(KnownParam.RequestUri) ?? Shown(KnownParam.ScriptName),
            ContentLength = Head.Cgi.ContentLength ?? 0,
            User = Shown(KnownParam.RemoteUser),
            Script = Shown(KnownParam.ScriptFilename),
        };
    }

    void IRequestBodyOwner.Continue(IThreadPoolWorkItem reader) => PoolWork.Queue(reader);

    private void DeclareBody()
    {
        if (Server.Pages is not null)
        {
            Head.JudgePage(Role, _admission);
        }

        if (!IsRejected && Role == FastCgiRole.Responder && Head.Cgi.IsNativeGrpc)
        {
            // The method would run, and its response would be torn for the lack of trailers.
            Head.Reject(CgiRejection.NativeGrpc);
        }

        // An authorizer gets no body (FastCGI 1.0, section 6.3), whatever length it is told, and often no end of one.
        long? length = Role == FastCgiRole.Authorizer ? 0 : Head.Cgi.ContentLength;
        if (!IsRejected || length == 0)
        {
            // An answer of the server's own waits for no body either where there is none.
            Body.DeclaredLength = length;
        }
    }

    /// <summary>A param as text. From bytes alone: the application may run meanwhile.</summary>
    private string? Shown(KnownParam param) =>
        Head.Cgi.Params.GetBytes(param) is { IsEmpty: false } value ? RejectedValue.Escape(value, MostShown) : null;

    private void MeasureQueue()
    {
        _isQueueMeasured = Server.Metrics?.MeasuresQueuedRequests == true;
        if (_isQueueMeasured)
        {
            Server.Metrics!.RequestQueued(Connection.LocalEndPoint);
        }
    }
}

/// <summary>Where a request stands on its connection. A request only moves down this list.</summary>
internal enum RequestStage
{
    /// <summary>PARAMS are arriving.</summary>
    Params,

    /// <summary>PARAMS are whole; the first STDIN record tells whether a body comes.</summary>
    AwaitingBody,

    /// <summary>The application has it.</summary>
    Running,

    /// <summary>The response is out; END_REQUEST waits for the end of STDIN.</summary>
    Draining,

    /// <summary>END_REQUEST is out, or the socket is lost. The application may still run.</summary>
    Ended,
}

/// <summary>
/// Whether a body arrives, or a response is taken, fast enough. Counts only the time in which the application waited
/// for it, as Kestrel does: an application that does not read or write costs the client nothing. The heartbeat looks
/// once a second; the connection's gate guards it.
/// </summary>
internal struct WaitingRate
{
    /// <summary>Looks are left out while a thread works for the connection, maybe without a wait.</summary>
    public static readonly TimeSpan MostOfOneLook = TimeSpan.FromSeconds(1.5);

    private TimeSpan _waited;

    /// <summary>
    /// One look, <paramref name="sinceLast"/> after the one before. True: the application has waited for longer than
    /// the grace period, and for longer than <paramref name="least"/> allows for all bytes.
    /// </summary>
    /// <param name="bytesWhileWaiting">All bytes so far; null while the application does not wait.</param>
    /// <param name="sinceLast">Counts if it waits now, up to <see cref="MostOfOneLook"/>.</param>
    /// <param name="least">Null for no limit.</param>
    public bool IsTooLow(long? bytesWhileWaiting, TimeSpan sinceLast, MinDataRate? least)
    {
        if (least is null || bytesWhileWaiting is not long bytes)
        {
            return false;
        }

        _waited += sinceLast < MostOfOneLook ? sinceLast : MostOfOneLook;
        return _waited > least.GracePeriod && bytes < least.BytesPerSecond * _waited.TotalSeconds;
    }
}
