using System.Diagnostics;
using System.Net.WebSockets;
using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The response of one request: OnStarting, the head, the rules for the body, and the end, whole or torn. A new object
/// for each request: code that still runs after the end of the request can only change an ended response.
/// </summary>
internal sealed partial class ApplicationResponse(FastCgiRequest request, RequestFeatures features, AbortSignal abort)
{
    // Written by the application's calls. The connection reads it for a log, and when it tears the response.
    private volatile ResponsePhase _phase;
    private int? _badRequestStatus;
    private Task? _pending; // Runs of OnStarting, and the completion of the writer. The end waits for them.
    private int _runningCallbacks; // Runs of OnStarting that have not ended.
    private bool _isUnbuffered;
    private UploadHold? _uploadHold;
    private ResponsePipeWriter? _writer;
    private BodyStream? _stream;
    private volatile bool _isOver;
    private OutputWaits? _waits;

    // Body bytes that the application has written, even if they are unsent or dropped.
    private long _written;
    private bool _isCut;
    private bool _isBodyForbidden;
    private bool _isHeadBodyLogged;

    /// <summary>Stored at the start, because the pooled request may have another connection after the end.</summary>
    public IRequestConnection Connection { get; } = request.Connection;

    public ResponseRecords Records => request.Records;

    /// <summary>True if the head is final.</summary>
    public bool HasStarted => _phase >= ResponsePhase.Started;

    public bool IsAborted => abort.IsAborted;

    public CancellationToken RequestAborted => abort.Token;

    public Exception? ApplicationError { get; private set; }

    /// <summary>True if the body is complete: a flush does nothing, and a write throws.</summary>
    public bool IsCompleted { get; private set; }

    /// <summary>True if the application has left: streams, reader and writers no longer work. Any thread.</summary>
    public bool IsOver => _isOver;

    public Exception? CallbackFailure { get; private set; }

    public bool AllowsSynchronousIO => features.AllowsSynchronousIO;

    /// <summary>True if the wire is done with the request, so that only the application has it.</summary>
    public bool IsOffTheWire { get; private set; }

    /// <summary>Bytes of the body so far while a write waits for the web server; otherwise null.</summary>
    public long? WrittenWhileWaiting => StartedWaits?.IsWaiting == true ? _written : null;

    /// <summary>Null if nothing has waited yet, and nothing was cancelled.</summary>
    public OutputWaits? StartedWaits => Volatile.Read(ref _waits);

    /// <summary>True if body bytes are only counted: HEAD, a status without a body, or an aborted request.</summary>
    public bool IsBodyDropped => _isBodyForbidden || IsAborted;

    /// <summary>The same object for the whole request.</summary>
    public BodyStream Stream => _stream ??= new BodyStream(reader: null, BodyWriter, this);

    /// <inheritdoc cref="Stream"/>
    public ResponsePipeWriter BodyWriter => _writer ??= new ResponsePipeWriter(this);

    /// <summary>True if the next head switches protocols. Then the application owns both directions.</summary>
    public bool IsUpgrade { get; private set; }

    /// <summary>True if the response has not ended and its peer still waits for it.</summary>
    public bool IsOpen => !IsEnded && !IsAborted;

    private ILogger Log => request.Server.RequestLog;

    private bool IsEnded => _phase is ResponsePhase.Ended or ResponsePhase.Torn or ResponsePhase.Dropped;

    /// <summary>True if the head is not out, and the application reads a body that is still arriving.</summary>
    private bool MayHoldHead => request.Body.IsAwaitedByReader && !Records.IsHeadOut;

    private bool IsSwitching => IsUpgrade && features.StatusCode == StatusCodes.Status101SwitchingProtocols;

    /// <summary>The status if the application sends none. An exception's status that is no error becomes 500.</summary>
    private int ErrorStatusCode => _badRequestStatus is >= StatusCodes.Status400BadRequest and <= 599 and int status
        ? status
        : StatusCodes.Status500InternalServerError;

    private bool IsHead => HttpMethods.IsHead(request.Head.Cgi.Method);

    /// <summary>The Content-Length of the final head, or null.</summary>
    private long? FinalLength => HasStarted ? features.ResponseHeaders.ContentLength : null;

    /// <summary>The length that the body must reach; null if any will do.</summary>
    private long? DeclaredLength => _isBodyForbidden ? null : FinalLength;

    /// <summary>The waits of its writer, or of the writer of its upgrade.</summary>
    public OutputWaits Waits => StartedWaits
        ?? LazyInitializer.EnsureInitialized(ref _waits, () => new OutputWaits(Connection.Output, Connection));

    /// <summary>Asks the web server to pass on every flush at once. No effect after the response has started.</summary>
    public void DisableBuffering() => _isUnbuffered = true;

    /// <summary>
    /// Makes the next head that of an upgrade. From now on the application cannot write the response: the upgrade has a
    /// writer of its own.
    /// </summary>
    public void Upgrade()
    {
        IsUpgrade = true;
        features.Upgrade();
    }

    /// <summary>The phase after an event; null if the event is forbidden in that phase.</summary>
    public static ResponsePhase? After(ResponsePhase phase, ResponseEvent @event)
    {
        Probe.Count(StateTable.Response, (int)phase, (int)@event);
        return (phase, @event) switch
        {
            (ResponsePhase.Unstarted or ResponsePhase.Starting, ResponseEvent.RunCallbacks) => ResponsePhase.Starting,
            (ResponsePhase.Starting, ResponseEvent.FailCallbacks) => ResponsePhase.Refused,
            (ResponsePhase.Unstarted or ResponsePhase.Starting, ResponseEvent.Start) => ResponsePhase.Started,
            (ResponsePhase.Unstarted or ResponsePhase.Starting or ResponsePhase.Refused, ResponseEvent.StartError) =>
                ResponsePhase.Started,
            (ResponsePhase.Started, ResponseEvent.End) => ResponsePhase.Ended,
            (ResponsePhase.Started, ResponseEvent.Break) => ResponsePhase.Torn,
            (ResponsePhase.Unstarted or ResponsePhase.Starting or ResponsePhase.Refused, ResponseEvent.Break) =>
                ResponsePhase.Dropped,
            _ => null,
        };
    }

    /// <summary>True if a response with this status has no body, whatever the method.</summary>
    public static bool StatusForbidsBody(int status) => status is < 200
        or StatusCodes.Status204NoContent or StatusCodes.Status205ResetContent or StatusCodes.Status304NotModified;

    /// <summary>
    /// Runs OnStarting, counts the bytes of the write that starts the response, and makes the head final. Sends nothing
    /// by itself. If the head or the count breaks a rule, nothing is counted and the response stays unstarted, so the
    /// client gets a 500 and not a truncated response.
    /// </summary>
    public Task StartAsync(CancellationToken cancellationToken, long bytes = 0)
    {
        if (HasStarted || _phase == ResponsePhase.Dropped)
        {
            Count(bytes);
            return Task.CompletedTask;
        }

        cancellationToken.ThrowIfCancellationRequested();
        ThrowIfRefused();
        ReportReaderError();
        if (ApplicationError is not null)
        {
            throw new ObjectDisposedException(
                "The response cannot be written: the application has completed a pipe with an exception.",
                ApplicationError);
        }

        if (features.HasOnStartingCallbacks)
        {
            return RunOnStarting(bytes);
        }

        StartWith(bytes);
        return Task.CompletedTask;
    }

    /// <summary>Starts if necessary, flushes, and ends the response body. Later writes throw.</summary>
    public async Task CompleteAsync()
    {
        ReportReaderError();
        if (IsEnded || ApplicationError is not null)
        {
            // A failure is reported when the application has returned.
            IsCompleted = true;
            return;
        }

        // A write waits for its OnStarting callbacks, and one of them may call this.
        if (Volatile.Read(ref _runningCallbacks) == 0)
        {
            await FinishWritesAsync().ConfigureAwait(false);
        }

        await StartAtEndAsync().ConfigureAwait(false);
        if (!IsAborted && Shortfall() is { } shortfall)
        {
            throw shortfall;
        }

        IsCompleted = true;
        if (!IsAborted)
        {
            EndOnWire();
        }
    }

    /// <summary>Implements HttpContext.Abort(): the client must see that the response broke off.</summary>
    public void Abort()
    {
        if (IsAborted || IsEnded)
        {
            return;
        }

        RequestLog.ApplicationAbortedConnection(Log, Connection.Id, features.TraceIdentifier);
        Break();
    }

    /// <summary>Logs an exception of an OnCompleted callback. The other callbacks still run.</summary>
    public void OnCompletedFailed(Exception exception) =>
        RequestLog.ApplicationError(Log, exception, Connection.Id, features.TraceIdentifier);

    /// <summary>
    /// Called when the application has returned. Waits for writes that it did not await. Starts an unstarted response,
    /// or reports its error.
    /// </summary>
    public ValueTask EnsureStartedAsync()
    {
        // 15. End: the application has returned.
        ReportReaderError();
        return ApplicationError is not null ? default
            : _phase <= ResponsePhase.Refused || _pending is { IsCompleted: false } ? StartOrReportAsync()
            : FinishWritesAsync();
    }

    /// <summary>Gives the end to the connection: whole, an error, or torn.</summary>
    public void EndOrFail()
    {
        // Before the end is sent, because the next request may begin before this thread continues.
        _isOver = true;
        if (!IsEnded)
        {
            if (IsAborted)
            {
                features.StatusCode = HasStarted ? features.StatusCode : StatusCodes.Status499ClientClosedRequest;
                Move(ResponseEvent.Break);
            }
            else if (!HasStarted)
            {
                EndWithError();
            }
            else if (IsWhole())
            {
                EndOnWire();
            }
            else
            {
                Tear();
            }
        }

        abort.Disarm();
    }

    /// <summary>Ends the response after a failure of the server. No more of it is sent.</summary>
    public void Fail()
    {
        _isOver = true;
        abort.Disarm();
        if (!IsEnded)
        {
            Tear();
        }
    }

    /// <summary>Stores and logs an exception of the application.</summary>
    public void ReportError(Exception exception)
    {
        bool isClientGone = IsAborted || (IsUpgrade && request.Body.HasEnded);
        if (exception is BadHttpRequestException badRequest)
        {
            _badRequestStatus ??= badRequest.StatusCode;
            ApplicationError ??= exception;
            RequestLog.BadRequest(Log, Connection.Id, features.TraceIdentifier, badRequest.Message);
        }
        else if (isClientGone && exception is OperationCanceledException or IOException or WebSocketException)
        {
            // Exceptions caused by a client that has left are no errors.
            RequestLog.RequestAborted(Log, exception, Connection.Id, features.TraceIdentifier);
        }
        else
        {
            ApplicationError =
                ApplicationError is null ? exception : new AggregateException(ApplicationError, exception);
            RequestLog.ApplicationError(Log, exception, Connection.Id, features.TraceIdentifier);
        }
    }

    /// <summary>Throws if no bytes may be written: the response is complete, or it could not start.</summary>
    public void ThrowIfUnwritable()
    {
        if (IsCompleted)
        {
            throw new InvalidOperationException(HandedOver is not null
                ? "The response body cannot be written: the web server sends the file, and nothing behind it."
                : "The response body cannot be written: its writer was completed.");
        }

        ThrowIfRefused();
    }

    /// <summary>Called before bytes leave. True if they are the last ones of the declared length.</summary>
    public bool LeavesWhole() => abort.IsResponseWhole = _written == DeclaredLength;

    /// <summary>Checks and counts <paramref name="bytes"/> more before any of them is stored.</summary>
    /// <exception cref="InvalidOperationException">They exceed Content-Length, or no body is allowed.</exception>
    public void Count(long bytes)
    {
        if (bytes > 0 && FinalLength is long length && _written + bytes > length)
        {
            throw TooManyBytes(_written + bytes, length);
        }

        if (bytes > 0 && _isBodyForbidden)
        {
            RefuseBody();
        }

        _written += bytes;
    }

    /// <summary>Takes back bytes that were counted but not written.</summary>
    public void Uncount(long bytes) => _written -= bytes;

    /// <summary>Notes that a part of the body is missing: the response must not end as whole.</summary>
    public void Cut() => _isCut = true;

    /// <summary>
    /// Called before a flush of <paramref name="more"/> more bytes. If null, the flush may proceed: its bytes leave, or
    /// are stored until they may. Otherwise it must wait for the task.
    /// </summary>
    public Task? WaitForUpload(long more) =>
        MayHoldHead
            ? (_uploadHold ??= new UploadHold(
                Records, request.Body, request.Server, Connection).Begin(this)).WaitForRoom(more)
            : null;

    /// <summary>
    /// Called before <paramref name="more"/> bytes are written without a flush. In a response that has started, bytes
    /// that no longer fit into a block leave before the flush, and the head with them.
    /// </summary>
    public void HoldUnflushed(long more)
    {
        if (MayHoldHead && HasStarted && Records.BufferedBytes + more > UploadHold.MaxBytes)
        {
            _ = WaitForUpload(more);
        }
    }

    /// <summary>
    /// The application has completed the writer. Without an exception, the response ends as by
    /// <see cref="CompleteAsync"/>, after the OnStarting callbacks and the writes that wait.
    /// </summary>
    /// <exception cref="InvalidOperationException">The response lacks bytes of its Content-Length.</exception>
    public void Complete(Exception? exception)
    {
        if (exception is not null)
        {
            IsCompleted = true;
            ReportError(exception);
            return;
        }

        Task completion = CompleteAsync();
        IsCompleted = true; // Even if OnStarting callbacks still run.
        if (completion.IsFaulted)
        {
            completion.GetAwaiter().GetResult();
        }

        AddPending(completion);
    }

    private void ReportReaderError()
    {
        if (features.TakeReaderError() is { } error)
        {
            ReportError(error);
        }
    }

    /// <summary>Runs OnStarting before the head is checked: callbacks may change it, or write.</summary>
    private ValueTask RunCallbacksAsync() =>
        _phase <= ResponsePhase.Starting && features.HasOnStartingCallbacks
            ? new ValueTask(RunOnStarting(bytes: null))
            : default;

    private void ThrowIfRefused()
    {
        if (_phase == ResponsePhase.Refused)
        {
            throw new ObjectDisposedException(
                "The response cannot be written: an OnStarting callback failed.", CallbackFailure);
        }
    }

    /// <summary>
    /// Runs the remaining OnStarting callbacks, then starts with a write of <paramref name="bytes"/>, unless that is
    /// null. A callback may call this too, for those after it.
    /// </summary>
    private Task RunOnStarting(long? bytes)
    {
        Move(ResponseEvent.RunCallbacks);
        Task run = RunOnStartingAsync(bytes);
        AddPending(run);
        return run;
    }

    private void AddPending(Task task) =>
        _pending = _pending is { IsCompleted: false } earlier ? Task.WhenAll(earlier, task) : task;

    private async Task RunOnStartingAsync(long? bytes)
    {
        Interlocked.Increment(ref _runningCallbacks);
        try
        {
            await features.FireOnStartingAsync().ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            CallbackFailure ??= exception;
            if (_phase == ResponsePhase.Starting)
            {
                Move(ResponseEvent.FailCallbacks);
            }

            throw;
        }
        finally
        {
            Interlocked.Decrement(ref _runningCallbacks);
        }

        if (bytes is { } count && _phase == ResponsePhase.Starting)
        {
            StartWith(count);
        }
        else if (bytes > 0)
        {
            // A callback that writes has started the response itself, and may have completed it.
            ThrowIfUnwritable();
            Count(bytes.Value);
        }
    }

    private void StartWith(long bytes)
    {
        Count(bytes);
        try
        {
            Start(isWhole: false);

            // The head stays, and the client gets it. As in Kestrel, bytes that the pipe took earlier are dropped.
            if (_isBodyForbidden && (IsHead ? _written : bytes) > 0)
            {
                RefuseBody();
            }
        }
        catch
        {
            Uncount(bytes);
            throw;
        }
    }

    /// <summary>Waits for writes that were not awaited, because their bytes belong to the body.</summary>
    private ValueTask FinishWritesAsync() =>
        StartedWaits is { HasUnfinishedWrites: true } waits ? waits.FinishWritesAsync() : default;

    private async ValueTask StartOrReportAsync()
    {
        try
        {
            await FinishWritesAsync().ConfigureAwait(false);

            // OnStarting callbacks may still run, for a write or a completion that was not awaited.
            await (_pending ?? Task.CompletedTask).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

            if (IsAborted)
            {
                // OnStarting runs, but the response does not start: the status is 499.
                await RunCallbacksAsync().ConfigureAwait(false);
            }
            else
            {
                await StartAtEndAsync().ConfigureAwait(false);
            }
        }
        catch (Exception exception)
        {
            ReportError(exception);
        }
    }

    /// <summary>
    /// Starts a response that ends here: an empty body has a known length. A callback may call this, so it does not
    /// wait for running callbacks.
    /// </summary>
    private async ValueTask StartAtEndAsync()
    {
        await RunCallbacksAsync().ConfigureAwait(false);
        if (_phase == ResponsePhase.Refused)
        {
            // The application may have caught the exception of its write, so nothing has reported it yet.
            throw CallbackFailure!;
        }

        if (!HasStarted && !IsEnded)
        {
            // Checked before the head is final, so that the client gets a 500 and not a broken response.
            if (features.ResponseHeaders.ContentLength is long length && _written < length
                && !IsAborted && !IsHead && !StatusForbidsBody(features.StatusCode))
            {
                throw TooFewBytes(length);
            }

            Start(isWhole: true);
        }
    }

    private void Start(bool isWhole, bool isError = false)
    {
        bool isForbidden = (IsHead || HandedOver is not null || StatusForbidsBody(features.StatusCode))
            && !IsSwitching;
        SettleContentLength(isForbidden, isWhole);
        if (!IsAborted)
        {
            WriteHead(isForbidden);
        }

        // If the head cannot be written, these fields stay unchanged, for the answer that replaces it.
        _isBodyForbidden = isForbidden;
        Move(isError ? ResponseEvent.StartError : ResponseEvent.Start);
        features.FreezeResponse();
    }

    /// <summary>Adapts Content-Length to the status and the known body, before the head is written.</summary>
    /// <param name="isForbidden">True if no body is allowed.</param>
    /// <param name="isWhole">True if the application has ended, so that no more bytes follow.</param>
    /// <exception cref="InvalidOperationException">Status, Content-Length and body contradict each other.</exception>
    private void SettleContentLength(bool isForbidden, bool isWhole)
    {
        int status = features.StatusCode;
        IHeaderDictionary headers = features.ResponseHeaders;
        long? length = headers.ContentLength;
        if (_written > length)
        {
            // Also for HEAD, whose GET would fail.
            throw TooManyBytes(_written, length.Value);
        }

        if (status is < 200 or StatusCodes.Status204NoContent or StatusCodes.Status205ResetContent)
        {
            if (length > 0)
            {
                throw new InvalidOperationException(
                    $"A response with status {status} has no body, but Content-Length is {length}.");
            }

            headers.ContentLength = status == StatusCodes.Status205ResetContent ? 0 : null;
        }
        else if (isWhole && !isForbidden && length is null && _written == 0
            && !headers.ContainsKey("Transfer-Encoding"))
        {
            headers.ContentLength = 0;
        }
    }

    /// <summary>Refuses a body that is not allowed. No error for HEAD, whose handlers write as for GET.</summary>
    /// <exception cref="InvalidOperationException">The status has no body.</exception>
    private void RefuseBody()
    {
        if (!IsHead)
        {
            throw new InvalidOperationException(
                $"A response with status {features.StatusCode} has no body, so nothing can be written to it.");
        }

        if (!_isHeadBodyLogged)
        {
            _isHeadBodyLogged = true;
            RequestLog.HeadBodyIgnored(Log, Connection.Id, features.TraceIdentifier);
        }
    }

    /// <summary>The exception if the body must not end here: Content-Length is larger, or a part is missing.</summary>
    private InvalidOperationException? Shortfall() =>
        _isCut ? new InvalidOperationException(
            "The response lacks a part of a file that could not be read to its end. It is aborted, so that no " +
            "client takes it for whole.")
        : DeclaredLength is long length && _written < length ? TooFewBytes(length)
        : null;

    private static InvalidOperationException TooManyBytes(long written, long length) => new(
        $"The response has a Content-Length of {length}, but {written} bytes were to be written.");

    private InvalidOperationException TooFewBytes(long length) => new(
        $"The response ended after {_written} bytes, but its Content-Length is {length}.");

    /// <summary>
    /// True if nothing of the started response is missing. If it is only a head, nothing can be. An upgraded stream has
    /// no length, so its end is never too early.
    /// </summary>
    private bool IsWhole()
    {
        if (ApplicationError is null && Shortfall() is { } shortfall)
        {
            ReportError(shortfall);
        }

        return ApplicationError is null || _isBodyForbidden || IsUpgrade;
    }

    private void EndWithError()
    {
        Records.DiscardUnstarted(this);
        (_written, _isCut) = (0, false);
        HandedOver = null;
        features.ResetResponseForError();
        features.StatusCode = ErrorStatusCode;
        features.ResponseHeaders.ContentLength = 0; // For HEAD too.
        Start(isWhole: true, isError: true);
        EndOnWire();
    }

    /// <summary>Ends the response on the wire with the connection's records, unless an abort has ended it.</summary>
    private void EndOnWire()
    {
        if (!IsEnded)
        {
            Move(ResponseEvent.End);
            abort.IsResponseWhole = true;
            IsOffTheWire = request.EndOnWire(ProtocolStatus.RequestComplete);
        }
    }

    private void Tear()
    {
        Move(ResponseEvent.Break);
        Break();
    }

    /// <summary>Sends the buffered bytes, and then a record that no web server takes for an end.</summary>
    private void Break()
    {
        if (HasStarted)
        {
            Records.Break(this);
        }

        abort.Fire();
        request.Tear(this);
    }

    private void Move(ResponseEvent @event)
    {
        ResponsePhase? next = After(_phase, @event);
        Debug.Assert(next is not null, $"{@event} in {_phase}.");
        _phase = next ?? _phase;
    }

    /// <summary>Not for a 304, which renews the page in nginx's cache and must not be kept from doing so.</summary>
    private bool IsHeadForNginx => IsHead && features.StatusCode != StatusCodes.Status304NotModified
        && request.Head.Cgi.MayBeFromNginx;

    private bool IsEventStream => features.ResponseHeaders.ContentType is [{ } type, ..]
        && type.StartsWith("text/event-stream", StringComparison.OrdinalIgnoreCase);

    /// <exception cref="InvalidOperationException">A header is invalid, or the head exceeds one record.</exception>
    private void WriteHead(bool isBodyForbidden)
    {
        FastCgiServerOptions options = request.Server.Options;
        var head = new ResponseHead
        {
            StatusCode = features.StatusCode,
            StatusFirst = IsSwitching || request.Role == FastCgiRole.Authorizer,
            ReasonPhrase = features.ReasonPhrase,
            Upgrades = IsSwitching,
            Headers = features.ResponseHeaders,
            EncodingSelector = options.ResponseHeaderEncodingSelector,
            DisableBuffering = _isUnbuffered || IsEventStream,
            DisableCaching = IsHeadForNginx,
            AddServerHeader = options.AddServerHeader,
            FileHeaderName = HandedOver?.HeaderName,
            FileHeaderValue = HandedOver?.HeaderValue,
        };

        // 13. Start: the first write makes the head final.
        if (!TryCommit(head, RecordBlock.FirstSize, isBodyForbidden, out int size, out bool droppedHeaders)
            && !TryCommit(head, RecordBlock.MaxSize, isBodyForbidden, out size, out droppedHeaders))
        {
            throw new InvalidOperationException(
                $"The response head does not fit into one FastCGI record ({RecordBlock.MaxContent} bytes): " +
                "no web server would take it. Send fewer or shorter headers.");
        }

        if (droppedHeaders)
        {
            RequestLog.ResponseHeadersDropped(Log, Connection.Id, features.TraceIdentifier);
        }

        if (size > RequestLog.LargeHeadSize && request.Server.TryWarnOnce(ServerWarning.LargeResponseHead))
        {
            RequestLog.LargeResponseHead(Log, Connection.Id, features.TraceIdentifier, size);
        }
    }

    private bool TryCommit(
        in ResponseHead head, int bufferSize, bool isBodyForbidden, out int size, out bool droppedHeaders)
    {
        BufferPool pool = request.Server.Buffers;
        byte[] buffer = pool.Rent(bufferSize);
        bool fits = false;
        size = 0;
        try
        {
            fits = ResponseHeadWriter.TryWrite(RecordBlock.RoomForHead(buffer), head, out size, out droppedHeaders);
        }
        finally
        {
            if (!fits)
            {
                pool.Return(buffer);
            }
        }

        if (fits)
        {
            if (isBodyForbidden)
            {
                // Bytes that were written before the start are dropped.
                Records.DiscardUnstarted(this);
            }

            Records.CommitHead(this, buffer, size);
        }

        return fits;
    }
}

/// <summary>The phases of a response. From <see cref="Started"/> on, its head is final.</summary>
internal enum ResponsePhase
{
    /// <summary>The application may change the head.</summary>
    Unstarted,

    /// <summary>OnStarting callbacks run.</summary>
    Starting,

    /// <summary>An OnStarting callback failed. Only the server can start the response now.</summary>
    Refused,

    /// <summary>Ended before its start: the client is gone, or the server dropped the request.</summary>
    Dropped,

    /// <summary>The head is written.</summary>
    Started,

    /// <summary>The connection has the end.</summary>
    Ended,

    /// <summary>Broke off after its start.</summary>
    Torn,
}

/// <summary>The events that move a response from one phase to the next.</summary>
internal enum ResponseEvent
{
    /// <summary>
    /// The application starts the response, and OnStarting callbacks run first. Happens again if a callback writes
    /// before the others have run, or if new ones were registered after a failed start.
    /// </summary>
    RunCallbacks,

    FailCallbacks,

    /// <summary>The application's head is written.</summary>
    Start,

    /// <summary>The server's own answer replaces the application's.</summary>
    StartError,

    /// <summary>The last byte is handed over.</summary>
    End,

    /// <summary>No more of the response is sent.</summary>
    Break,
}
