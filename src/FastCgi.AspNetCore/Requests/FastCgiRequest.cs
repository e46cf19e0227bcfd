using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Requests.Head;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Requests.Slot;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// One id's life on a connection: head, body in, response out, end. Composes what is pooled (head, body, records) with
/// what belongs to one request alone (features, response, abort signal, and what the application takes of the body).
/// The connection drives the inward side under its gate, the application drives the outward side through the features.
/// </summary>
internal sealed class FastCgiRequest : IInlineRun, IRequestBodyOwner, IRunningRequest
{
    private readonly ServerContext _server;
    private readonly ApplicationRunner _runner;
    private readonly PooledParts _parts;

    // Of the request that is served. Made by Open under the gate, or by Enter on the application's thread; null between
    // two requests.
    private AbortSignal? _abort;
    private RequestFeatures? _features;
    private ApplicationResponse? _response;
    private RequestControl? _control;

    // Written under the gate.
    private volatile bool _isUpgraded;
    private bool _countsAsRunning;
    private RequestAdmission _admission;

    public FastCgiRequest(ServerContext server, ApplicationRunner runner, IRequestSlot slot)
    {
        _server = server;
        _runner = runner;
        Body = new RequestBody(this, server.Options.Limits.MaxRequestBufferSize, server.Buffers);
        _parts = new PooledParts(server, slot, new RequestHead(server), Body, new ResponseRecords(server.Buffers));
    }

    public IRequestSlot Slot => _parts.Slot;

    public RequestHead Head => _parts.Head;

    public RequestBody Body { get; }

    /// <summary>The features that the application sees, once it has begun.</summary>
    public RequestFeatures Features => _features!;

    /// <summary>Once the application has begun.</summary>
    public ApplicationResponse Response => _response!;

    /// <summary>From <see cref="Begin"/> to <see cref="Reset"/>.</summary>
    public bool IsBegun { get; private set; }

    /// <summary>When BEGIN_REQUEST came, in the coarse time of the heartbeat.</summary>
    public long BegunAt { get; private set; }

    public string ConnectionId => Slot.Connection.Id;

    /// <summary>Null until the application has begun.</summary>
    public string? TraceIdentifier => _features?.TraceIdentifier;

    public Exception? ApplicationError => _response?.ApplicationError;

    public bool HasResponseStarted => _response?.HasStarted == true;

    /// <summary>
    /// True when the bytes are of the application's own protocol, which has no length and no limit.
    /// </summary>
    public bool IsUpgraded => _isUpgraded;

    /// <summary>The application never sees this request; <see cref="EndRejected"/> answers it.</summary>
    public bool IsRejected => Head.Rejection is not null || Head.Page is not null;

    /// <summary>The application has kept the receiving thread for a while, and has not given it back.</summary>
    public bool KeepsThread { get; private set; }

    public bool IsFromNginx => Head.Cgi.IsFromNginx;

    /// <summary>
    /// True when it is certain that no body comes, or that one does; else the first STDIN record tells.
    /// </summary>
    public bool IsBodyKnown => IsRejected || Slot.Role != FastCgiRole.Responder
        || Head.Cgi.ContentLength is not null || Body.HasBegun;

    public ILogger Log => _server.RequestLog;

    public void Begin(RequestAdmission admission)
    {
        IsBegun = true;
        _admission = admission;
        _countsAsRunning = admission == RequestAdmission.CountedApplication;
        BegunAt = _server.Clock.Now;
        Head.Begin();
        Body.Begin(Slot.Connection);
        _parts.Records.Begin(Slot);
    }

    /// <summary>The params are complete. Under the gate.</summary>
    public void CompleteParams()
    {
        Head.Cgi.IsAuthorizer = Slot.Role == FastCgiRole.Authorizer;
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
    /// The application is about to begin; from now on it may read the body at any moment. Under the gate.
    /// </summary>
    public void Open()
    {
        if (!IsRejected)
        {
            // A body without a length that has begun is read to its end. In a stop no further connection is upgraded: a
            // client that has just lost one comes again at once, and nobody would close this one before the time for
            // the stop is over.
            CgiRequest cgi = Head.Cgi;
            cgi.IsUpgradable = Slot.Connection.AllowsUpgrade && Slot.Role == FastCgiRole.Responder
                && Body.Received == 0
                && !_server.ApplicationStopping.IsCancellationRequested
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
    }

    /// <summary>
    /// The last judgement before the application, and the first by user code. False: the request is rejected.
    /// </summary>
    public bool TryEnter()
    {
        if (IsRejected || !Head.TryCheckEncodings(Slot))
        {
            return false;
        }

        // 11. Enter: features and response are new for each request.
        FastCgiServerOptions options = _server.Options;
        _control = new RequestControl(_parts);
        _features = new RequestFeatures(
            _control, Head.Cgi, _server.Limits.MaxRequestBodySize, options.AllowSynchronousIO,
            options.ResponseHeaderEncodingSelector);
        _response = new ApplicationResponse(_parts, _features, _abort!);
        _features.SetResponse(_response);
        _control.Begin(_features, _response);
        _parts.Records.Own(_response);
        Body.Own(_response);
        RequestNotices.OnBegun(_parts, _features);
        return true;
    }

    /// <summary>
    /// Runs the application on this thread until it ends or first really waits. What it flushed until then leaves in
    /// one send. After a run that ended, this object may already serve somebody else.
    /// </summary>
    public void RunInline()
    {
        // 10. Run: on the thread that received, which holds the flushes together.
        ResponseRecords records = _parts.Records;
        int run = records.BeginFirstRun();
        InlineRuns.Begin(this);
        Task ended = _runner.RunAsync(this);
        InlineRuns.End();
        if (!ended.IsCompleted)
        {
            KeepsThread = false;
            records.EndRun(run);
        }
    }

    /// <summary>
    /// Runs on this thread what the application left to be done when more of its body has come, until that ends or
    /// really waits. What it flushes leaves together.
    /// </summary>
    public void ContinueInline(Action<object?> action, object? state)
    {
        ResponseRecords records = _parts.Records;
        RequestFeatures? features = _features;
        int run = records.BeginRun();
        InlineRuns.Begin(this);
        try
        {
            action(state);
        }
        finally
        {
            InlineRuns.End();
            KeepsThread &= _features != features; // By now this may be another request, whose thread is its own.
            records.EndRun(run);
        }
    }

    /// <summary>The application keeps this thread; what it flushed must not wait for its end.</summary>
    void IInlineRun.OnStillRunning()
    {
        KeepsThread = true;
        _parts.Records.BreakRun();
        Slot.Connection.OnThreadKept();
    }

    /// <summary>The application returned: a response that has not started starts.</summary>
    public ValueTask StartAtEndAsync()
    {
        if (_control!.ReaderError is { } readerError)
        {
            Response.ReportError(readerError);
        }

        // 15. End: the application has returned.
        return Response.EnsureStartedAsync();
    }

    /// <summary>The response ends, whole, as an error, or torn.</summary>
    public void End()
    {
        // Before the end is on the wire: the next request may run before this thread gets any further.
        StopHandles();
        StopRunning();
        Response.EndOrFail();

        // A socket that waits for a reader of this body is read again now, however long OnCompleted takes.
        Body.Drop();
    }

    /// <summary>Answers a request that the application never saw.</summary>
    public void EndRejected()
    {
        Body.Drop();
        StopRunning();
        OwnAnswer.Send(_parts);
    }

    /// <summary>The server itself failed on this request; the socket cannot be trusted with more.</summary>
    public void OnServerError(Exception exception)
    {
        RequestLog.ServerError(Log, exception, Slot.Connection.Id, Slot.RequestId);
        StopHandles();
        StopRunning();
        if (_response is null)
        {
            Slot.Tear(owner: null);
        }
        else
        {
            _response.Fail();
        }

        Body.Drop();
    }

    public void ReportError(Exception exception) => Response.ReportError(exception);

    /// <summary>The application has left, its response and its callbacks are done.</summary>
    public void OnApplicationDone()
    {
        _features?.End();
        bool isOffTheWire = _response is { IsOffTheWire: true };
        // 20. Forget: where the wire is done with the request too, nobody else has it.
        if (isOffTheWire) { Reset(); }

        Slot.OnApplicationDone(isOffTheWire);
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
        bool hasLeft = _parts.Records.Detach();
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
    /// Forgets everything about the request that ended. What the application abandoned of it is dead, so the pooled
    /// parts may serve another request.
    /// </summary>
    public void Reset()
    {
        StopRunning();
        _parts.Records.Reset();
        Head.Reset();
        (_abort, _features, _response, _control) = (null, null, null, null);
        _isUpgraded = KeepsThread = IsBegun = false;
        Body.Reset();
    }

    public string DescribeTarget() => Head.Cgi.DescribeTarget();

    public long? ContentLength => Head.Cgi.ContentLength;

    /// <summary>In bytes; null is no limit.</summary>
    public long? MaxRequestBodySize =>
        _features is { } features ? features.MaxRequestBodySize : _server.Limits.MaxRequestBodySize;

    /// <summary>Where the rates of body and response count: in the application, not after an upgrade.</summary>
    public RequestFeatures? FeaturesWithRates => IsUpgraded ? null : _features;

    public void OnBodyReadingStarted()
    {
        // Most logs do not want it, and the identifiers would be made for it alone.
        if (Log.IsEnabled(LogLevel.Debug))
        {
            RequestLog.BodyStarted(Log, Slot.Connection.Id, Features.TraceIdentifier);
        }
    }

    /// <summary>Unless the application answers for itself, or another exception escapes, this is the answer.</summary>
    public void SetBadRequest(BadHttpRequestException exception) => Features.SetBadRequest(exception);

    public void OnDiskFailed(Exception failure)
    {
        if (_server.TryWarnOnce(ServerWarning.BodyNotSpilled))
        {
            RequestLog.BodyNotSpilled(_server.RequestLog, failure.Message);
        }
    }

    public void TellOfBadRequest() => BadRequestEvent.Write(_server.DiagnosticListener, Features);

    public bool TryContinueAfterRead(Action<object?> action, object? state) => Slot.TryContinueAfterRead(action, state);

    private void DeclareBody()
    {
        if (_server.Pages is not null)
        {
            Head.JudgePage(Slot.Role, _admission);
        }

        if (!IsRejected && Slot.Role == FastCgiRole.Responder && Head.Cgi.IsNativeGrpc)
        {
            // The method would run, and its response would be torn for the lack of trailers.
            Head.Reject(CgiRejection.NativeGrpc);
        }

        // An authorizer gets no body (FastCGI 1.0, section 6.3), whatever length it is told, and often no end of one.
        long? length = Slot.Role == FastCgiRole.Authorizer ? 0 : Head.Cgi.ContentLength;
        if (!IsRejected || length == 0)
        {
            // An answer of the server's own waits for no body either where there is none.
            Body.DeclaredLength = length;
        }
    }

    private void StopHandles()
    {
        _control?.Stop();
        Body.EndReading();
    }

    /// <summary>
    /// Counts no more for MaxConcurrentRequests. Before the end is on the wire: a web server that sends no more at a
    /// time than are allowed sends the next one when it has seen that.
    /// </summary>
    private void StopRunning()
    {
        if (_countsAsRunning)
        {
            _countsAsRunning = false;
            _server.LeaveRunningRequests();
        }
    }
}
