using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests;

/// <summary>The start of the response: once, with OnStarting before it, and after it nothing of the head changes.</summary>
internal sealed partial class FastCgiRequest
{
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
        await FireOnStartingAsync().ConfigureAwait(false);
        if (!_started)
        {
            Start(ended: false);
        }
    }

    /// <summary>Once, for a write; what a callback fails with fails that write and every later one.</summary>
    private async ValueTask FireOnStartingAsync()
    {
        if (_onStartingFired || !Features.HasOnStartingCallbacks)
        {
            return;
        }

        _onStartingFired = true;
        try
        {
            await Features.FireOnStartingAsync().ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            _onStartingFailure = exception;
            _responseStream?.Stop(exception);
            throw;
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
        _bodyForbidden = (_isHead || _handedOver is not null || StatusForbidsBody(status)) && !IsSwitching;
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
            StatusFirst = Slot.Role == FastCgiRole.Authorizer,
            ReasonPhrase = Features.ReasonPhrase,
            Upgrades = IsSwitching,
            Headers = Features.ResponseHeaders,
            EncodingSelector = _server.Options.ResponseHeaderEncodingSelector,
            DisableBuffering = _unbuffered || IsEventStream(),
            AddServerHeader = _server.Options.AddServerHeader,
            FileHeaderName = _handedOver?.HeaderName,
            FileHeaderValue = _handedOver?.HeaderValue,
        };
        if (_bodyForbidden)
        {
            // What was written before the start has nowhere to go.
            _output.DiscardUnstarted();
        }

        int size = _output.TryWriteHead(_writeHead, head);
        if (size < 0)
        {
            throw new InvalidOperationException(
                $"The response head does not fit into one FastCGI record ({RecordBlock.MaxContent} bytes): " +
                "no web server would take it. Send fewer or shorter headers.");
        }

        WarnOfLargeHead(size);
    }

    private int WriteHead(Span<byte> destination, in ResponseHead head)
    {
        bool fits = ResponseHeadWriter.TryWrite(destination, head, out int written, out bool droppedHeaders);
        if (fits && droppedHeaders)
        {
            LogHeadersDropped(Log, ConnectionId, Features.TraceIdentifier);
        }

        return fits ? written : -1;
    }

    private bool IsEventStream() => Features.ResponseHeaders.ContentType is [{ } type, ..]
        && type.StartsWith("text/event-stream", StringComparison.OrdinalIgnoreCase);

    private static bool StatusForbidsBody(int status) => status is < 200
        or StatusCodes.Status204NoContent or StatusCodes.Status205ResetContent or StatusCodes.Status304NotModified;

    private void StartFromRequest() => _isHead = HttpMethods.IsHead(_cgi.Method);
}
