using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Scheduling;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Requests;

/// <content>Application: the steps that <see cref="ApplicationRunner{TContext}"/> calls, and their state.</content>
internal sealed partial class FastCgiRequest
{
    private const string BadRequestEvent = "FastCgi.AspNetCore.BadRequest";

    // Of the current request. Created by Open under the gate or by TryEnter on the application's thread; null between
    // two requests.
    private AbortSignal? _abort;
    private RequestFeatures? _features;
    private ApplicationResponse? _response;

    /// <summary>The features that the application sees. Valid from <see cref="TryEnter"/> on.</summary>
    public RequestFeatures Features => _features!;

    /// <summary>Valid once the application has begun.</summary>
    public ApplicationResponse Response => _response!;

    /// <summary>Null until the application has begun.</summary>
    public string? TraceIdentifier => _features?.TraceIdentifier;

    public Exception? ApplicationError => _response?.ApplicationError;

    public bool HasResponseStarted => _response?.HasStarted == true;

    /// <summary>True if the application has kept the receiving thread for a while and has not returned it.</summary>
    public bool KeepsThread { get; private set; }

    public ILogger Log => Server.RequestLog;

    public long? MaxRequestBodySize =>
        _features is { } features ? features.MaxRequestBodySize : Server.Limits.MaxRequestBodySize;

    /// <summary>The last check before the application. It calls user code. False if it rejects.</summary>
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
    /// Runs the application on this thread until it ends or first really waits. Its flushes up to then leave in one
    /// send. After a run that ended, this object may already serve another request.
    /// </summary>
    public void RunInline()
    {
        // 10. Run: on the thread that received. Flushes of the run leave together.
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
    /// Runs the continuation of a completed body read on this thread, until it ends or really waits. Its flushes leave
    /// together.
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
            KeepsThread &= _features != features; // By now this may be another request, with a thread of its own.
            Records.EndRun(run);
        }
    }

    /// <summary>Called if the application keeps this thread: its flushed bytes must not wait for its end.</summary>
    void IInlineRun.OnStillRunning()
    {
        KeepsThread = true;
        Records.BreakRun();
        _connection?.OnThreadKept();
    }

    /// <summary>Ends the response: whole, as an error or torn.</summary>
    public void End()
    {
        // Before the end is sent, because the next request may begin before this thread continues.
        StopHandles();
        StopRunning();
        Response.EndOrFail();

        // Now, not after OnCompleted: a socket that waits for a reader of this body is read again at once.
        Body.Drop();
    }

    /// <summary>Handles a failure of the server itself. The socket is not safe for further use.</summary>
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

    /// <summary>Called when the application has left, after its response and its callbacks.</summary>
    public void OnApplicationDone()
    {
        _features?.End();
        bool isOffTheWire = _response is { IsOffTheWire: true };
        IRequestConnection connection = Connection;
        if (isOffTheWire)
        {
            // 20. Forget: the wire is done with the request too, so nothing else uses it.
            Release();
        }

        connection.OnApplicationDone(this, isOffTheWire);
    }

    /// <summary>Ends the response on the wire: sends its last bytes and the records of the connection.</summary>
    /// <returns>True if the wire is done with the request.</returns>
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

        // Outside the lock of the records, because the connection's gate comes before it.
        return Connection.End(this, last, status);
    }

    /// <inheritdoc cref="IRequestConnection.Tear"/>
    public void Tear(object? owner) => _connection?.Tear(this, owner);

    /// <summary>Tells the event source. Path and method are read only if it has a listener.</summary>
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
        // Most logs ignore this message, and the identifiers would be created for it alone.
        if (Log.IsEnabled(LogLevel.Debug) && _features is { } features)
        {
            RequestLog.RequestBodyStart(Log, Connection.Id, features.TraceIdentifier);
        }
    }

    /// <summary>Stores the answer for a bad body. The application may send another one.</summary>
    public void SetBadRequest(BadHttpRequestException exception) => Features.SetBadRequest(exception);

    public void OnDiskFailed(Exception failure)
    {
        if (Server.TryWarnOnce(ServerWarning.BodyNotSpilled))
        {
            RequestLog.BodyNotSpilled(Server.RequestLog, failure.Message);
        }
    }

    /// <summary>
    /// Tells the listeners of hosting's diagnostics. The features include <see cref="IBadRequestExceptionFeature"/>, as
    /// in Kestrel's event of that kind.
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
            // As with a logger and a meter: a listener that throws does not change the answer.
        }
    }

    /// <summary>Logs facts about a request that the application is about to see.</summary>
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
        _features?.AskedUpgrade?.Stop();
        Body.EndReading();
    }

    /// <summary>
    /// Leaves the count of MaxConcurrentRequests. This happens before the end is sent: a web server that keeps to the
    /// limit sends the next request as soon as it sees the end.
    /// </summary>
    private void StopRunning()
    {
        if (_admission == RequestAdmission.CountedApplication)
        {
            _admission = RequestAdmission.Application;
            Server.LeaveRunningRequests();
        }
    }
}
