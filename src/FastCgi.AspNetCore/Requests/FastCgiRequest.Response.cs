using FastCgi.AspNetCore.Cgi;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests;

/// <summary>The response from its start to its end (server contract: start once, then nothing of the head changes).</summary>
internal sealed partial class FastCgiRequest
{
    private bool _started;
    private bool _onStartingFired;
    private bool _bodyForbidden;
    private bool _isHead;
    private bool _headBodyLogged;
    private bool _unbuffered;
    private bool _wireEnded;
    private Exception? _onStartingFailure;
    private BadHttpRequestException? _badRequest;

    /// <summary>What the application failed with; null while it did not.</summary>
    public Exception? ApplicationError { get; private set; }

    public bool HasResponseStarted => _started;

    /// <summary>Body bytes are counted and go nowhere: HEAD, a status without a body, or nobody there to read them.</summary>
    public bool IsBodyDropped => (_started && _bodyForbidden) || IsAborted;

    public Task StartResponseAsync(CancellationToken cancellationToken)
    {
        if (_started)
        {
            return Task.CompletedTask;
        }

        if (!_onStartingFired && Features.HasOnStartingCallbacks)
        {
            return StartAfterCallbacksAsync();
        }

        Start(ended: false);
        return Task.CompletedTask;
    }

    public async Task CompleteResponseAsync()
    {
        if (_wireEnded || IsAborted)
        {
            _writer.MarkCompleted();
            return;
        }

        if (!_started)
        {
            await StartAtEndAsync().ConfigureAwait(false);
        }

        VerifyLength();
        _writer.MarkCompleted();
        EndOnWire(ProtocolStatus.RequestComplete);
    }

    /// <summary>The application returned: whatever it left undone is done, and the response is ended or torn.</summary>
    public async ValueTask EndAsync()
    {
        if (!_started && ApplicationError is null && _badRequest is null && !IsAborted)
        {
            try
            {
                await StartAtEndAsync().ConfigureAwait(false);
            }
            catch (Exception exception)
            {
                ReportApplicationError(exception);
            }
        }

        if (!_wireEnded)
        {
            EndOrFail();
        }

        DisarmAbort();
        StopStreams();
    }

    /// <summary>Answers a request that the application never saw.</summary>
    public void EndRejected()
    {
        CgiRejection rejection = _rejection!;
        LogRejection(rejection);
        _output.TryWriteHead(RejectionWriter.Write, rejection);
        EndOnWire(rejection.StatusCode == StatusCodes.Status503ServiceUnavailable
            ? ProtocolStatus.Overloaded
            : ProtocolStatus.RequestComplete);
    }

    /// <summary>The server itself failed on this request; the socket cannot be trusted with more.</summary>
    public void OnServerError(Exception exception)
    {
        LogServerError(Log, exception, Connection.Id, RequestId);
        DisarmAbort();
        Tear();
    }

    public void ReportApplicationError(Exception exception)
    {
        if (exception is BadHttpRequestException badRequest)
        {
            _badRequest ??= badRequest;
            ApplicationError ??= exception;
            LogBadRequest(Log, Connection.Id, Features.TraceIdentifier, badRequest.Message);
            return;
        }

        if (IsAborted && exception is OperationCanceledException or IOException)
        {
            LogAbortedQuietly(Log, exception, Connection.Id, Features.TraceIdentifier);
            return;
        }

        ApplicationError = ApplicationError is null ? exception : new AggregateException(ApplicationError, exception);
        LogApplicationError(Log, exception, Connection.Id, Features.TraceIdentifier);
    }

    /// <summary>The body broke a rule: unless the application answers for itself, this is the answer.</summary>
    public void SetBadRequest(BadHttpRequestException exception)
    {
        _badRequest ??= exception;
        Features.SetBadRequest(exception);
    }

    /// <summary>Judges a write of <paramref name="count"/> bytes behind <paramref name="written"/> before anything of it is kept.</summary>
    public void BeforeBody(long written, int count)
    {
        if (count == 0)
        {
            return;
        }

        if (_started && _bodyForbidden && !IsAborted)
        {
            RefuseBody();
            return;
        }

        if (_started && ContentLengthToKeep() is long length && written + count > length)
        {
            throw TooManyBytes(written + count, length);
        }
    }

    public void ThrowIfOnStartingFailed()
    {
        if (_onStartingFailure is not null)
        {
            throw new ObjectDisposedException(
                "The response cannot be written: an OnStarting callback failed.", _onStartingFailure);
        }
    }

    private async Task StartAfterCallbacksAsync()
    {
        _onStartingFired = true;
        try
        {
            await Features.FireOnStartingAsync().ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            _onStartingFailure = exception;
            _responseStream?.Stop(exception);
            ReportApplicationError(exception);
            throw;
        }

        if (!_started)
        {
            Start(ended: false);
        }
    }

    /// <summary>The application ended without a write: a body of nothing has a known length.</summary>
    private async ValueTask StartAtEndAsync()
    {
        if (!_onStartingFired && Features.HasOnStartingCallbacks)
        {
            _onStartingFired = true;
            await Features.FireOnStartingAsync().ConfigureAwait(false);
        }

        if (!_started)
        {
            // Judged before the head is final, so that the client gets a 500 and not a broken answer.
            if (Features.ResponseHeaders.ContentLength is long length && _writer.Written < length
                && !_isHead && !StatusForbidsBody(Features.StatusCode))
            {
                throw TooFewBytes(length);
            }

            Start(ended: true);
        }
    }

    private void Start(bool ended)
    {
        int status = Features.StatusCode;
        _bodyForbidden = _isHead || StatusForbidsBody(status);
        if (_bodyForbidden && _writer.Written > 0)
        {
            RefuseBody();
        }

        ApplyLengthRules(status, ended);
        if (!IsAborted)
        {
            WriteHead(status);
        }

        _started = true;
        _output.DropLease();
        Features.FreezeResponse();
    }

    private void ApplyLengthRules(int status, bool ended)
    {
        IHeaderDictionary headers = Features.ResponseHeaders;
        long? length = headers.ContentLength;
        if (status is < 200 or StatusCodes.Status204NoContent or StatusCodes.Status205ResetContent)
        {
            if (length > 0)
            {
                throw new InvalidOperationException(
                    $"A response with status {status} has no body, but Content-Length is {length}.");
            }

            headers.ContentLength = status == StatusCodes.Status205ResetContent ? 0 : null;
        }
        else if (ended && length is null && _writer.Written == 0 && !_bodyForbidden
            && !headers.ContainsKey("Transfer-Encoding"))
        {
            headers.ContentLength = 0;
        }
        else if (_writer.Written > length && !_bodyForbidden)
        {
            throw TooManyBytes(_writer.Written, length.Value);
        }
    }

    private void WriteHead(int status)
    {
        var head = new ResponseHead
        {
            StatusCode = status,
            ReasonPhrase = Features.ReasonPhrase,
            Headers = Features.ResponseHeaders,
            EncodingSelector = _server.Options.ResponseHeaderEncodingSelector,
            DisableBuffering = _unbuffered || IsEventStream(),
            AddServerHeader = _server.Options.AddServerHeader,
        };
        if (_bodyForbidden)
        {
            // What was written before the start has nowhere to go.
            _output.DiscardUnstarted();
        }

        int size = _output.TryWriteHead(WriteHead, head);
        if (size < 0)
        {
            throw new InvalidOperationException(
                $"The response head does not fit into one FastCGI record ({ResponseOutput.MaxHeadSize} bytes): " +
                "no web server would take it. Send fewer or shorter headers.");
        }

        WarnOfLargeHead(size);
    }

    private static int WriteHead(Span<byte> destination, in ResponseHead head) =>
        ResponseHeadWriter.TryWrite(destination, head, out int written) ? written : -1;

    private void EndOrFail()
    {
        if (IsAborted)
        {
            EndAborted();
            return;
        }

        Exception? failure = ApplicationError ?? _badRequest;
        if (failure is null)
        {
            try
            {
                VerifyLength();
            }
            catch (InvalidOperationException exception)
            {
                ReportApplicationError(exception);
                failure = exception;
            }
        }

        if (failure is null || (_started && failure == _badRequest && ApplicationError is null))
        {
            EndOnWire(ProtocolStatus.RequestComplete);
        }
        else if (!_started)
        {
            EndWithStatus(_badRequest?.StatusCode ?? StatusCodes.Status500InternalServerError);
        }
        else if (_bodyForbidden)
        {
            // The head is all there is to such a response, so nothing of it is missing.
            EndOnWire(ProtocolStatus.RequestComplete);
        }
        else
        {
            Tear();
        }
    }

    private void EndWithStatus(int status)
    {
        _output.DiscardUnstarted();
        _writer.Discard();
        Features.ResetResponseForError();
        Features.StatusCode = status;
        Start(ended: true);
        EndOnWire(ProtocolStatus.RequestComplete);
    }

    private void EndAborted()
    {
        if (!_started)
        {
            Features.StatusCode = StatusCodes.Status499ClientClosedRequest;
        }

        _wireEnded = true;
    }

    private void EndOnWire(ProtocolStatus status)
    {
        if (_wireEnded)
        {
            return;
        }

        _wireEnded = true;
        IRequestConnection connection = Connection;
        bool endRequest = connection.TryEndRequest(this);
        _output.End(endRequest, status);
        if (endRequest)
        {
            connection.OnRequestEnded(this);
        }
    }

    private void Tear()
    {
        _wireEnded = true;
        if (_started)
        {
            _output.Break();
        }

        Connection.Tear(this);
    }

    private void VerifyLength()
    {
        if (ContentLengthToKeep() is long length && _writer.Written < length && !IsAborted)
        {
            throw TooFewBytes(length);
        }
    }

    /// <summary>The length that the body has to keep; null where nobody counts.</summary>
    private long? ContentLengthToKeep() => _started && !_bodyForbidden ? Features.ResponseHeaders.ContentLength : null;

    private void RefuseBody()
    {
        if (!_isHead)
        {
            throw new InvalidOperationException(
                $"A response with status {Features.StatusCode} has no body, so nothing can be written to it.");
        }

        if (!_headBodyLogged)
        {
            _headBodyLogged = true;
            LogHeadBodyIgnored(Log, Connection.Id, Features.TraceIdentifier);
        }
    }

    private bool IsEventStream() => Features.ResponseHeaders.ContentType is [{ } type, ..]
        && type.StartsWith("text/event-stream", StringComparison.OrdinalIgnoreCase);

    private static bool StatusForbidsBody(int status) => status is < 200
        or StatusCodes.Status204NoContent or StatusCodes.Status205ResetContent or StatusCodes.Status304NotModified;

    private static InvalidOperationException TooManyBytes(long written, long length) => new(
        $"The response has a Content-Length of {length}, but {written} bytes were to be written.");

    private InvalidOperationException TooFewBytes(long length) => new(
        $"The response ended after {_writer.Written} bytes, but its Content-Length is {length}.");

    private void StartFromRequest() => _isHead = HttpMethods.IsHead(_cgi.Method);

    private void ResetResponse()
    {
        _started = _onStartingFired = _bodyForbidden = _isHead = _headBodyLogged = _unbuffered = _wireEnded = false;
        _onStartingFailure = null;
        _badRequest = null;
        ApplicationError = null;
    }
}
