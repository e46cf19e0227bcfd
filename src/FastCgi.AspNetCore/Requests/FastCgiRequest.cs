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
/// The life of one id on a connection: begin, head, body, response, end. Pooled, so that a request costs few
/// allocations. The connection drives this part under its gate. The application drives the part Application, through
/// objects that belong to one request alone (features, response, abort signal, reader of the body).
/// </summary>
internal sealed partial class FastCgiRequest : IInlineRun, IRequestBodyOwner, IThreadPoolWorkItem
{
    /// <summary>Limit for the bytes of a param on the status page.</summary>
    private const int MostShown = 1024;

    private readonly ApplicationRunner _runner;

    // Set when the request begins, and cleared when it returns to the pool.
    private IRequestConnection? _connection;

    // Guarded by the gate. Waits for the end of a body that the application does not read.
    private IDisposable? _drain;

    // Guarded by the gate.
    private WaitingRate _bodyRate;
    private WaitingRate _responseRate;
    private long _tickedAt;
    private RequestAdmission _admission;

    // Written under the gate.
    private volatile bool _isUpgraded;

    // Written before the request is queued, and read when it runs.
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

    /// <summary>The records of the response. Only the current response may write to them.</summary>
    public ResponseRecords Records { get; }

    /// <exception cref="InvalidOperationException">The object serves no request.</exception>
    public IRequestConnection Connection =>
        _connection ?? throw new InvalidOperationException("The object serves no request.");

    public ushort RequestId { get; private set; }

    public FastCgiRole Role { get; private set; }

    /// <summary>FCGI_KEEP_CONN (FastCGI 1.0, section 5.1).</summary>
    public bool KeepConnection { get; private set; }

    /// <summary>The stage of the request. Guarded by the gate.</summary>
    public RequestStage Stage { get; private set; }

    /// <summary>True from <see cref="Begin"/> until the request is released.</summary>
    public bool IsBegun => _connection is not null;

    /// <summary>The time of BEGIN_REQUEST, on the coarse clock of the heartbeat.</summary>
    public long BegunAt { get; private set; }

    /// <summary>The time of BEGIN_REQUEST: exact if the server has a status page, otherwise to the second.</summary>
    public long StartedAt { get; private set; }

    /// <summary>True from the moment the request is ready until its application has left. Under the gate.</summary>
    public bool IsInApplication { get; private set; }

    /// <summary>True if the wire dropped the request while the application ran. Guarded by the gate.</summary>
    public bool IsAbandoned { get; set; }

    /// <summary>True if the log has named the request after SlowRequestAfter. Guarded by the gate.</summary>
    public bool IsToldSlow { get; set; }

    /// <summary>True if the body is an upgraded stream of the application, without length or limit.</summary>
    public bool IsUpgraded => _isUpgraded;

    /// <summary>True if the application never sees this request; <see cref="EndRejected"/> answers it.</summary>
    public bool IsRejected => Head.Rejection is not null || Head.Page is not null;

    public bool IsFromNginx => Head.Cgi.IsFromNginx;

    /// <summary>True if it is known whether a body comes. Otherwise the first STDIN record decides.</summary>
    public bool IsBodyKnown => IsRejected || Role != FastCgiRole.Responder
        || Head.Cgi.ContentLength is not null || Body.HasBegun;

    /// <summary>
    /// True if no part of the body is still to come, so that END_REQUEST may follow the response at once. If it may
    /// upgrade, lighttpd sends no record that ends the body.
    /// </summary>
    public bool CanEndNow => Body.HasEnded || Body.DeclaredLength == 0 || Role != FastCgiRole.Responder
        || IsUpgraded || (Connection.Endpoint.AllowUpgrade && Body.IsWhole);

    /// <summary>
    /// True if the peer may send other requests beside this one: the connection outlives this request, and the peer is
    /// not nginx, which never multiplexes.
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
        _admission = admission;
        BegunAt = _tickedAt = Server.Clock.Now;
        StartedAt = Server.Pages is null ? BegunAt : Server.TimeProvider.GetTimestamp();
        _bodyRate = _responseRate = default;
        Head.Begin();
        Body.Begin(connection);
        Records.Begin(connection, requestId);
    }

    /// <summary>The allowed changes of stage.</summary>
    public static bool Allows(RequestStage from, RequestStage to) => (from, to) switch
    {
        (RequestStage.Params, RequestStage.AwaitingBody) => true,

        // From Params too: a request that is rejected or too late waits for no body.
        (RequestStage.Params or RequestStage.AwaitingBody, RequestStage.Running) => true,
        (RequestStage.Running, RequestStage.Draining) => true,
        (not RequestStage.Ended, RequestStage.Ended) => true,
        _ => false,
    };

    /// <summary>Changes the stage; nothing else does.</summary>
    public void Advance(RequestStage to)
    {
        if (!Allows(Stage, to))
        {
            throw new InvalidOperationException($"A request does not go from {Stage} to {to}.");
        }

        Probe.Count(StateTable.Stage, (int)Stage, (int)to);
        Stage = to;
    }

    /// <summary>Called when the params or the SCGI head are complete. Under the gate.</summary>
    public void CompleteHead()
    {
        Head.Cgi.IsAuthorizer = Role == FastCgiRole.Authorizer;
        Head.CompleteParams();
        if (Server.Pages is not null)
        {
            Head.JudgePage(Role, _admission);
        }

        if (!IsRejected && Role == FastCgiRole.Responder && Head.Cgi.IsNativeGrpc)
        {
            // Otherwise the method would run, and its response would be torn for lack of trailers.
            Head.Reject(CgiRejection.NativeGrpc);
        }

        // An authorizer gets no body (FastCGI 1.0, section 6.3), whatever length is declared, and often no end of it.
        long? length = Role == FastCgiRole.Authorizer ? 0 : Head.Cgi.ContentLength;
        if (!IsRejected || length == 0)
        {
            // If there is no body, the server's own answers do not wait for one either.
            Body.DeclaredLength = length;
        }
    }

    /// <summary>
    /// Makes the request ready for its application, which may read the body at any moment from now on. If this fails,
    /// the request is not in its application, and an abort ends it.
    /// </summary>
    public void Open()
    {
        Advance(RequestStage.Running);
        if (!IsRejected)
        {
            // A body without a length that has begun is read to its end. During a stop no connection is upgraded: a
            // client that has just lost one returns at once, and its new connection would last until the stop times
            // out.
            CgiRequest cgi = Head.Cgi;
            cgi.IsUpgradable = Connection.Endpoint.AllowUpgrade && Role == FastCgiRole.Responder
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
                // Only reads of the body fail. An authorization subrequest is served: it has no body and reads none,
                // although the client announced one.
                Body.Refuse(BodyFailures.Cut());
            }
        }

        IsInApplication = true;
    }

    /// <summary>Queues the request after others on this thread; if they take long, another thread runs it.</summary>
    public void RunAfterOthers()
    {
        MeasureQueue();
        InlineRuns.Enqueue(this);
    }

    public void RunElsewhere()
    {
        MeasureQueue();
        PoolWork.Queue(this);
    }

    /// <summary>Answers a rejected request before others that wait for a thread.</summary>
    public void RunRejected() => EndingThreads.Queue(static request => request.RunInline(), this);

    /// <summary>Runs the request when its turn has come.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        if (_isQueueMeasured)
        {
            Server.Metrics!.RequestDequeued(Connection.LocalEndPoint);
        }

        RunInline();
    }

    /// <summary>Called by the heartbeat. A body that arrives too slowly fails.</summary>
    /// <returns>False if the peer takes the response too slowly.</returns>
    public bool OnTick()
    {
        TimeSpan sinceLast = Server.Clock.Since(_tickedAt);
        _tickedAt = Server.Clock.Now;
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

        // The features exist a moment before the response.
        return !_responseRate.IsTooLow(
            _response?.WrittenWhileWaiting, sinceLast, features.MinResponseDataRate);
    }

    /// <summary>Delays END_REQUEST until <paramref name="drain"/> has ended.</summary>
    public void BeginDrain(IDisposable drain)
    {
        Advance(RequestStage.Draining);
        _drain = drain;
    }

    public bool IsDrainedBy(IDisposable drain) => _drain == drain;

    /// <summary>Ends the life of the request on the wire: its id is free.</summary>
    public void Forget()
    {
        Advance(RequestStage.Ended);
        _drain?.Dispose();
        _drain = null;
    }

    /// <summary>Called when the application has left. True if the wire is done with the request too.</summary>
    public bool LeaveApplication()
    {
        IsInApplication = false;
        return Stage == RequestStage.Ended;
    }

    /// <summary>Aborts the request for the peer. Under the gate: the body has one writer at a time.</summary>
    /// <returns>True if some of the response has left.</returns>
    public bool OnPeerAborted(Exception reason)
    {
        // First, so that code that sees the failure of the body below also sees that it is an abort, not an error.
        bool isPeerGone = reason is ConnectionResetException;
        _abort?.Fire(isPeerGone);
        // Before the body ends: a head that waits for that end would be sent.
        bool hasLeft = Records.Detach();
        _response?.Waits.EndAll();
        if (IsUpgraded && isPeerGone)
        {
            // The application may still read the bytes that came before.
            Body.End();
        }
        else
        {
            Body.Fail(reason);
        }

        return hasLeft;
    }

    /// <summary>Begins the upgraded stream. Under the connection's gate: the body has one writer at a time.</summary>
    public void TurnToUpgraded()
    {
        _isUpgraded = true;
        Body.Upgrade();
    }

    /// <summary>
    /// Clears everything about the request that ended: the object may serve another connection. Objects of the request
    /// that the application keeps no longer work.
    /// </summary>
    public void Release()
    {
        StopRunning();
        Records.Reset();
        Head.Reset();
        (_abort, _features, _response) = (null, null, null);
        _isUpgraded = KeepsThread = false;
        Body.Reset();
        _connection = null;
    }

    /// <summary>The method and path, for a log. Under the gate.</summary>
    public string DescribeTarget() => Stage == RequestStage.Params ? "a request" : Head.Cgi.DescribeTarget();

    /// <summary>The state of the request, and what it waits for as far as known, for a log. Under the gate.</summary>
    public string DescribeState() => Stage switch
    {
        RequestStage.Params => "its params are still to come",
        RequestStage.AwaitingBody => "its body is still to come",
        RequestStage.Draining => "the rest of its body is still to come",
        _ when Body.ReceivedWhileWaiting is not null => "it waits for more of its body",
        _ when Connection.Output.IsFull => "it waits for the web server to take the response",
        _ when KeepsThread => "its handler blocks a thread",
        _ => HasResponseStarted ? "its response has begun" : "its response has not begun",
    };

    /// <summary>Describes the request for the status page. Under the gate, or while the application runs.</summary>
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

    /// <summary>A param as text. Read from its bytes only, because the application may run meanwhile.</summary>
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

/// <summary>The stages of a request on its connection. A request only moves down this list.</summary>
internal enum RequestStage
{
    Params,

    /// <summary>PARAMS are complete. The first STDIN record decides whether there is a body.</summary>
    AwaitingBody,

    Running,

    /// <summary>The response has been sent. END_REQUEST waits for the end of STDIN.</summary>
    Draining,

    /// <summary>END_REQUEST has been sent, or the socket is lost. The application may still run.</summary>
    Ended,
}

/// <summary>
/// Measures whether a body arrives, or a response is taken, fast enough. As in Kestrel, only time in which the
/// application waited counts: an application that does not read or write costs the client nothing. Measured at each
/// heartbeat. Guarded by the connection's gate.
/// </summary>
internal struct WaitingRate
{
    /// <summary>Limit of one measured time: heartbeats are left out while a thread works for the connection.</summary>
    public static readonly TimeSpan MostOfOneLook = TimeSpan.FromSeconds(1.5);

    private TimeSpan _waited;

    /// <summary>
    /// Measures once. True if the application has waited for longer than the grace period and for longer than
    /// <paramref name="least"/> allows for all bytes.
    /// </summary>
    /// <param name="bytesWhileWaiting">All bytes so far; null if the application does not wait now.</param>
    /// <param name="sinceLast">The time since the last measurement, counted up to <see cref="MostOfOneLook"/>.</param>
    /// <param name="least">The minimum rate; null for no limit.</param>
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
