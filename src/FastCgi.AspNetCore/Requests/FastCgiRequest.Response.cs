using System.Net.WebSockets;
using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Head;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests;

/// <summary>The body's rules and the end of the response: whole, refused, or torn.</summary>
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
        if (_reader?.CompletedWith is { } readerError)
        {
            ReportApplicationError(readerError);
        }

        if (_onStartingFailure is not null && ApplicationError is null)
        {
            // The application caught what its write met, and nobody has heard of it yet.
            ReportApplicationError(_onStartingFailure);
        }

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

        // Before the end is on the wire: the next request may run before this thread gets any further.
        StopStreams();
        StopRunning();
        if (!_wireEnded)
        {
            EndOrFail();
        }

        DisarmAbort();

        // A socket that waits for a reader of this body is read again now, however long OnCompleted takes.
        Body.Drop();
    }

    /// <summary>Answers a request that the application never saw.</summary>
    public void EndRejected()
    {
        CgiRejection rejection = _rejection!;
        Body.Drop();
        LogRejection(rejection);
        StopRunning();
        _output.TryWriteHead(RejectionWriter.Write, rejection);
        EndOnWire(rejection.StatusCode == StatusCodes.Status503ServiceUnavailable
            ? ProtocolStatus.Overloaded
            : ProtocolStatus.RequestComplete);
    }

    /// <summary>The server itself failed on this request; the socket cannot be trusted with more.</summary>
    public void OnServerError(Exception exception)
    {
        LogServerError(Log, exception, ConnectionId, Slot.RequestId);
        DisarmAbort();
        Tear();
        Body.EndReading();
        Body.Drop();
    }

    public void ReportApplicationError(Exception exception)
    {
        if (exception is BadHttpRequestException badRequest)
        {
            _badRequest ??= badRequest;
            ApplicationError ??= exception;
            LogBadRequest(Log, ConnectionId, Features.TraceIdentifier, badRequest.Message);
            return;
        }

        if (IsClientGone && exception is OperationCanceledException or IOException or WebSocketException)
        {
            LogAbortedQuietly(Log, exception, ConnectionId, Features.TraceIdentifier);
            return;
        }

        ApplicationError = ApplicationError is null ? exception : new AggregateException(ApplicationError, exception);
        LogApplicationError(Log, exception, ConnectionId, Features.TraceIdentifier);
    }

    /// <summary>The body broke a rule: unless the application answers for itself, this is the answer.</summary>
    public void SetBadRequest(BadHttpRequestException exception)
    {
        _badRequest ??= exception;
        Features.SetBadRequest(exception);
    }

    public void TellOfBadRequest() => BadRequestEvent.Write(_server.DiagnosticListener, Features);

    /// <summary>Judges a write of <paramref name="count"/> bytes behind <paramref name="written"/> before anything of it is kept.</summary>
    public void BeforeBody(long written, long count)
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
        ResponseEnd end = Slot.BeginEnd();
        try
        {
            _output.End(end, status);
        }
        finally
        {
            Slot.FinishEnd();
        }
    }

    private void Tear()
    {
        _wireEnded = true;
        if (_started)
        {
            _output.Break();
        }

        Slot.Tear();
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
            LogHeadBodyIgnored(Log, ConnectionId, Features.TraceIdentifier);
        }
    }

    private static InvalidOperationException TooManyBytes(long written, long length) => new(
        $"The response has a Content-Length of {length}, but {written} bytes were to be written.");

    private InvalidOperationException TooFewBytes(long length) => new(
        $"The response ended after {_writer.Written} bytes, but its Content-Length is {length}.");

    private void ResetResponse()
    {
        _started = _onStartingFired = _bodyForbidden = _isHead = _headBodyLogged = _unbuffered = _wireEnded = false;
        _handedOver = null;
        _onStartingFailure = null;
        _badRequest = null;
        ApplicationError = null;
        _headHold = null;
    }
}
