using FastCgi.Client.Connections;
using FastCgi.Client.Requests;

namespace FastCgi.Client.Sending;

/// <summary>
/// Sends one request on a connection: a small one in one send, and a larger body in parallel with the response. So a
/// peer that answers while it still receives cannot deadlock.
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

    /// <summary>True if all has been sent, and the connection may take another request.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>The number of bytes of a request with content that the connection has taken.</summary>
    public long ContentSent => _body?.Sent ?? 0;

    /// <summary>The reason why the content could not be read. <see cref="Failed"/> is cancelled then.</summary>
    public Exception? ContentFailure { get; private set; }

    /// <summary>
    /// Cancelled if the content cannot be read; available from the beginning. None if that can no longer happen.
    /// </summary>
    public CancellationToken Failed => IsComplete || _failed is null ? CancellationToken.None : _failed.Token;

    /// <summary>True if the request can be repeated.</summary>
    public bool CanRepeat => plan.CanRepeat;

    /// <summary>
    /// Returns when the head has been sent or, with a body, at the first wait. The token also applies to the content
    /// until the head of the response has come.
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

    /// <summary>Stops sending. The task ends when the content and the connection are no longer in use.</summary>
    public Task StopAsync()
    {
        // Does not wait for callbacks of the content, and ignores their exceptions.
        _stopWithCaller.Unregister();
        _ = _stop?.CancelAsync();
        return _sending;
    }

    /// <summary>
    /// Called when the head of the response has come. The request will not be repeated, so its buffered content can be
    /// released after it has been sent.
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
    /// The stream for the other protocol, after the application has agreed to it. Over FastCGI its bytes follow the end
    /// of the body on Stdin, as in lighttpd.
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
            // The response tells more about a lost connection than the send, so reading continues.
            if (!body.IsBroken && !stop.IsCancellationRequested)
            {
                ContentFailure = StdinStream.FailureOf(exception);
                _failed!.Cancel();
            }

            // A failed send does not end the copy that runs beside it, and the content may be sent again.
            await copying.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
