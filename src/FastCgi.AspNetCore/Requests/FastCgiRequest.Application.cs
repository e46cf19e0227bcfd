using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Requests;

/// <content>Application: the ladder that <see cref="ApplicationRunner{TContext}"/> climbs, and what it needs.</content>
internal sealed partial class FastCgiRequest
{
    private const string BadRequestEvent = "FastCgi.AspNetCore.BadRequest";

    // Of the request that is served. Made by Open under the gate, or by Enter on the application's thread; null between
    // two requests.
    private AbortSignal? _abort;
    private RequestFeatures? _features;
    private ApplicationResponse? _response;

    /// <summary>The features that the application sees, from <see cref="TryEnter"/> on.</summary>
    public RequestFeatures Features => _features!;

    /// <summary>Once the application has begun.</summary>
    public ApplicationResponse Response => _response!;

    /// <summary>Null until the application has begun.</summary>
    public string? TraceIdentifier => _features?.TraceIdentifier;

    /// <summary>The exception that the application failed with; null while there is none.</summary>
    public Exception? ApplicationError => _response?.ApplicationError;

    public bool HasResponseStarted => _response?.HasStarted == true;

    /// <summary>The application has kept the receiving thread for a while, and has not given it back.</summary>
    public bool KeepsThread { get; private set; }

    public ILogger Log => Server.RequestLog;

    /// <summary>In bytes; null is no limit.</summary>
    public long? MaxRequestBodySize =>
        _features is { } features ? features.MaxRequestBodySize : Server.Limits.MaxRequestBodySize;

    /// <summary>The last judgement before the application, the first by user code. False: it is rejected.</summary>
    public bool TryEnter()
    {
        if (IsRejected || !Head.TryCheckEncodings(Connection))
        {
            return false;
        }

        // 11. Enter: features and response are new for each request.
        _features = new RequestFeatures(this, _abort!);
        _response = _features.Response;
        Records.Own(_response);
        Body.Own(_response);
        NoteBegun();
        return true;
    }

    /// <summary>
    /// Runs the application on this thread until it ends or first really waits. What it flushed until then leaves in
    /// one send. After a run that ended, this object may already serve somebody else.
    /// </summary>
    public void RunInline()
    {
        // 10. Run: on the thread that received, which holds the flushes together.
        int run = Records.BeginFirstRun();
        InlineRuns.Begin(this);
        Task ended = _runner.RunAsync(this);
        InlineRuns.End();
        if (!ended.IsCompleted)
        {
            KeepsThread = false;
            Records.EndRun(run);
        }
    }

    /// <summary>
    /// Runs on this thread what stands behind a read of the body that has a result, until that ends or really waits.
    /// What it flushes leaves together.
    /// </summary>
    public void ContinueInline(IThreadPoolWorkItem reader)
    {
        RequestFeatures? features = _features;
        int run = Records.BeginRun();
        InlineRuns.Begin(this);
        try
        {
            reader.Execute();
        }
        finally
        {
            InlineRuns.End();
            KeepsThread &= _features != features; // By now this may be another request, whose thread is its own.
            Records.EndRun(run);
        }
    }

    /// <summary>The application keeps this thread; what it flushed must not wait for its end.</summary>
    void IInlineRun.OnStillRunning()
    {
        KeepsThread = true;
        Records.BreakRun();
        _connection?.OnThreadKept();
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

    /// <summary>The server itself failed on this request; the socket cannot be trusted with more.</summary>
    public void OnServerError(Exception exception)
    {
        RequestLog.ServerError(Log, exception, Connection.Id, RequestId);
        StopHandles();
        StopRunning();
        if (_response is null)
        {
            Tear(owner: null);
        }
        else
        {
            _response.Fail();
        }

        Body.Drop();
    }

    /// <summary>The application has left, its response and its callbacks are done.</summary>
    public void OnApplicationDone()
    {
        _features?.End();
        bool isOffTheWire = _response is { IsOffTheWire: true };
        IRequestConnection connection = Connection;
        if (isOffTheWire)
        {
            // 20. Forget: the wire is done with the request too, so nobody else has it.
            Release();
        }

        connection.OnApplicationDone(this, isOffTheWire);
    }

    /// <summary>Ends the response on the wire: its last bytes, and behind them the connection's records.</summary>
    /// <returns>The wire is done with the request.</returns>
    public bool EndOnWire(ProtocolStatus status)
    {
        ArraySegment<byte> last;
        try
        {
            last = Records.TakeLast();
        }
        catch
        {
            Connection.End(this, default, status);
            throw;
        }

        // Not under the lock of the records: the connection's gate comes before it.
        return Connection.End(this, last, status);
    }

    /// <inheritdoc cref="IRequestConnection.Tear"/>
    public void Tear(object? owner) => _connection?.Tear(this, owner);

    /// <summary>Tells the event source, which reads path and method only where somebody listens.</summary>
    public void WriteStartEvent()
    {
        if (FastCgiEventSource.Log.IsEnabled())
        {
            IHttpRequestFeature http = Features;
            FastCgiEventSource.Log.RequestStart(Connection.Id, Features.TraceIdentifier, http.Path, http.Method);
        }
    }

    /// <inheritdoc cref="WriteStartEvent"/>
    public void WriteStopEvent()
    {
        if (FastCgiEventSource.Log.IsEnabled())
        {
            IHttpRequestFeature http = Features;
            FastCgiEventSource.Log.RequestStop(Connection.Id, Features.TraceIdentifier, http.Path, http.Method);
        }
    }

    public void OnBodyReadingStarted()
    {
        // Most logs do not want it, and the identifiers would be made for it alone.
        if (Log.IsEnabled(LogLevel.Debug) && _features is { } features)
        {
            RequestLog.RequestBodyStart(Log, Connection.Id, features.TraceIdentifier);
        }
    }

    /// <summary>Unless the application answers for itself, or another exception escapes, this is the answer.</summary>
    public void SetBadRequest(BadHttpRequestException exception) => Features.SetBadRequest(exception);

    public void OnDiskFailed(Exception failure)
    {
        if (Server.TryWarnOnce(ServerWarning.BodyNotSpilled))
        {
            RequestLog.BodyNotSpilled(Server.RequestLog, failure.Message);
        }
    }

    /// <summary>
    /// Tells the listeners of hosting's diagnostics: the features have <see cref="IBadRequestExceptionFeature"/>, as
    /// with Kestrel's event of that kind.
    /// </summary>
    public void TellOfBadRequest()
    {
        if (Server.DiagnosticListener?.IsEnabled(BadRequestEvent) == true)
        {
            TellOfBadRequest(Features);
        }
    }

    [UnconditionalSuppressMessage(
        "Trimming", "IL2026", Justification = "A feature collection is read by its interface.")]
    private void TellOfBadRequest(IFeatureCollection features)
    {
        try
        {
            Server.DiagnosticListener!.Write(BadRequestEvent, features);
        }
        catch (Exception)
        {
            // As with a logger and a meter: a listener that throws changes no answer.
        }
    }

    /// <summary>The application is about to begin.</summary>
    private void NoteBegun()
    {
        CgiRequest cgi = Head.Cgi;
        if (!Server.HasWarned(ServerWarning.HostWithoutPort)
            && cgi.HostLostItsPort
            && Server.TryWarnOnce(ServerWarning.HostWithoutPort))
        {
            RequestLog.HostWithoutPort(Server.RequestLog, cgi.Host, cgi.Params.GetString(KnownParam.ServerPort));
        }

        if (cgi.Params.GetBytes(KnownParam.DocumentUri).SequenceEqual("/index.php"u8)
            && !cgi.Params.GetBytes(KnownParam.RequestUri).StartsWith("/index.php"u8)
            && Server.TryWarnOnce(ServerWarning.PhpLeftovers))
        {
            RequestLog.PhpLeftovers(Server.RequestLog, cgi.DescribeTarget());
        }

        if (cgi.HasForwardingHeader && Server.TryWarnOnce(ServerWarning.ForwardingHeader))
        {
            RequestLog.ForwardingHeaderIgnored(
                Server.RequestLog, Connection.Id, Features.TraceIdentifier, cgi.ForwardingParam);
        }

        if (Head.HasCutBody && Server.TryWarnOnce(ServerWarning.CutBody))
        {
            RequestLog.CutBody(
                Server.RequestLog,
                Connection.Id,
                Features.TraceIdentifier,
                cgi.Params.GetString(KnownParam.HttpContentLength),
                cgi.ContentLength);
        }
    }

    private void StopHandles()
    {
        _features?.EndUpgrade();
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
            Server.LeaveRunningRequests();
        }
    }
}
