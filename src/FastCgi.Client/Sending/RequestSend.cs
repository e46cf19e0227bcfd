using FastCgi.Client.Connections;
using FastCgi.Client.Requests;

namespace FastCgi.Client.Sending;

/// <summary>
/// Puts one request on a connection: a small one in one send, and a larger body beside the response, so that a peer
/// that answers while it still receives cannot deadlock.
/// </summary>
internal sealed class RequestSend(PooledConnection connection, RequestPlan plan, RequestRules rules)
{
    private readonly OutputBuffer _output = new();
    private readonly CancellationTokenSource? _failed = plan.Content is null ? null : new();
    private readonly Action? _onSending =
        plan.Request.Options.TryGetValue(FastCgiRequestOptions.OnSending, out Action? onSending) ? onSending : null;

    private CancellationTokenSource? _stop;
    private CancellationTokenRegistration _stopWithCaller;
    private StdinStream? _body;
    private Task _sending = Task.CompletedTask;

    /// <summary>All has left, and the connection may take another request.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>How many bytes of a request with content the connection has taken.</summary>
    public long ContentSent => _body?.Sent ?? 0;

    /// <summary>Why the content could not be read; <see cref="Failed"/> says when.</summary>
    public Exception? ContentFailure { get; private set; }

    /// <summary>
    /// Cancelled when the content could not be read; there from the beginning. None: that can no longer happen.
    /// </summary>
    public CancellationToken Failed => IsComplete || _failed is null ? CancellationToken.None : _failed.Token;

    /// <summary>The request can be sent again.</summary>
    public bool CanRepeat => plan.CanRepeat;

    /// <summary>
    /// Returns when the head has left, or with a body as soon as something has to be waited for. The token also is the
    /// content's until the head of the response is there.
    /// </summary>
    public ValueTask StartAsync(CancellationToken cancellationToken)
    {
        _onSending?.Invoke();
        WriteHead();
        if (plan.Content is null)
        {
            WriteEndOfBody();
            return SendHeadAsync(cancellationToken);
        }

        _stop = new CancellationTokenSource();
        _stopWithCaller = cancellationToken.UnsafeRegister(
            static stop => ((CancellationTokenSource)stop!).Cancel(), _stop);
        _body = new StdinStream(
            connection.Stream, _output, rules.IsScgi ? null : connection.RequestId, plan.ContentLength)
            {
                OnSending = _onSending,
            };
        _sending = SendBodyAsync(plan.Content, _body, _stop.Token);
        return default;
    }

    /// <summary>Stops to send. The task ends when the content and the connection are no longer in use.</summary>
    public Task StopAsync()
    {
        // Does not wait for callbacks of the content, and does not throw what they throw.
        _stopWithCaller.Unregister();
        _ = _stop?.CancelAsync();
        return _sending;
    }

    /// <summary>
    /// The head of the response is there. The request is not sent again, so what was buffered for it can go when it has
    /// left.
    /// </summary>
    public void ReleaseContent()
    {
        _stopWithCaller.Unregister();
        if (plan.Content is BufferedContent content)
        {
            _ = _sending.ContinueWith(
                static (_, content) => ((BufferedContent)content!).Dispose(),
                content,
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
        }
    }

    /// <summary>
    /// The bytes of the other protocol, after the application has agreed to it. Over FastCGI they follow the end of the
    /// body on Stdin, as lighttpd does it.
    /// </summary>
    public Stream Switch() => new StdinStream(
        connection.Stream, new OutputBuffer(), rules.IsScgi ? null : connection.RequestId, declaredLength: null)
        {
            IsStreaming = true,
        };

    private void WriteHead()
    {
        bool isKept = rules.KeepConnection || connection.IsShared;
        IParameterWriter writer = rules.IsScgi
            ? new ScgiParameterWriter(_output)
            : new FastCgiParameterWriter(
                _output,
                connection.RequestId,
                new BeginRequestBody(
                    plan.Role, isKept ? BeginRequestFlags.KeepConnection : BeginRequestFlags.None));
        try
        {
            RequestParameters.Write(plan, rules, writer);
        }
        catch
        {
            _output.Dispose();
            throw;
        }
    }

    private void WriteEndOfBody()
    {
        if (!rules.IsScgi)
        {
            _output.Advance(RecordWriter.WriteEndOfStream(
                _output.GetSpan(RecordWriter.EndOfStreamRecordSize), RecordType.Stdin, connection.RequestId));
        }
    }

    private async ValueTask SendHeadAsync(CancellationToken cancellationToken)
    {
        await connection.Stream.WriteAsync(_output.Written, cancellationToken).ConfigureAwait(false);
        IsComplete = true;
        _output.Dispose();
    }

    private async Task SendBodyAsync(HttpContent content, StdinStream body, CancellationToken stop)
    {
        Task copying = Task.CompletedTask;
        try
        {
            copying = content.CopyToAsync(body, context: null, stop);
            if (!copying.IsCompleted)
            {
                await body.StartStreamingAsync(stop).ConfigureAwait(false);
            }

            await copying.ConfigureAwait(false);
            await body.CompleteAsync(stop).ConfigureAwait(false);
            IsComplete = true;
            _output.Dispose();
        }
        catch (Exception exception)
        {
            // The response says more about a lost connection than the send does, so it is read on.
            if (!body.IsBroken && !stop.IsCancellationRequested)
            {
                ContentFailure = exception is ObjectDisposedException
                    ? new HttpRequestException(
                        "The request content disposed the stream that it was written to. Leave the stream open.",
                        exception)
                    : exception;
                _failed!.Cancel();
            }

            // A send that failed beside the copy does not end it, and the content may be sent again.
            await copying.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
