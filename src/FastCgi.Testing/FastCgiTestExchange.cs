using FastCgi.Testing.Connections;
using FastCgi.Testing.Requests;

namespace FastCgi.Testing;

/// <summary>
/// A request on a connection. Bytes are sent and received only during a call of the test: an upload is as slow as its
/// writes, and a reader as slow as its reads. Every call has the timeout of the connection.
/// </summary>
public sealed class FastCgiTestExchange
{
    /// <summary>49.7 days, the maximum of a timer. A longer limit is no limit.</summary>
    private static readonly TimeSpan s_longest = TimeSpan.FromMilliseconds(uint.MaxValue - 1);

    private readonly TestWire _wire;
    private readonly FastCgiTestRequest _request;
    private readonly TestResponseReader _response = new();
    private int _taken;
    private bool _isBodyEnded;

    internal FastCgiTestExchange(TestWire wire, FastCgiTestRequest request) =>
        (_wire, _request) = (wire, request);

    internal bool IsEnded => _response.IsEnded;

    /// <summary>Sends a piece of the body, in STDIN records. An empty piece sends nothing.</summary>
    /// <exception cref="InvalidOperationException">The body has ended.</exception>
    /// <exception cref="IOException">The connection is lost.</exception>
    public Task WriteAsync(ReadOnlyMemory<byte> content, CancellationToken cancellationToken = default)
    {
        if (_isBodyEnded)
        {
            throw new InvalidOperationException(
                $"The body of {this} has ended. To send more of it, set the request's ContentLength above the length " +
                "of its Body.");
        }

        return SendAsync(RequestRecords.Body(content.Span), cancellationToken);
    }

    /// <summary>Ends the body with the empty STDIN record. Does nothing if it has ended.</summary>
    /// <exception cref="IOException">The connection is lost.</exception>
    public Task CompleteAsync(CancellationToken cancellationToken = default)
    {
        bool isNew = !_isBodyEnded;
        _isBodyEnded = true;
        return isNew ? SendAsync(RequestRecords.EndOfBody(), cancellationToken) : Task.CompletedTask;
    }

    /// <summary>
    /// Sends ABORT_REQUEST (FastCGI 1.0, section 5.4), as a web server does if its client has left. The server answers
    /// with END_REQUEST; see <see cref="ReadToEndAsync"/>.
    /// </summary>
    /// <exception cref="IOException">The connection is lost.</exception>
    public Task AbortAsync(CancellationToken cancellationToken = default) =>
        SendAsync(RequestRecords.Abort(), cancellationToken);

    /// <summary>
    /// Receives until the head of the response has come, and returns the part that has arrived. If the response ends
    /// earlier, its <see cref="FastCgiTestResponse.StatusCode"/> is 0.
    /// </summary>
    public async Task<FastCgiTestResponse> ReadHeadAsync(CancellationToken cancellationToken = default)
    {
        await ReceiveUntilAsync("a response head", () => _response.HasHead, cancellationToken).ConfigureAwait(false);
        return _response.ToResponse();
    }

    /// <summary>
    /// Receives until <paramref name="count"/> more bytes of the body have come, and returns them. Returns fewer if the
    /// response has ended.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The count is not above zero.</exception>
    public async Task<ReadOnlyMemory<byte>> ReadAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        await ReceiveUntilAsync(
            $"{count} bytes of the body", () => _response.Body.Length - _taken >= count, cancellationToken)
            .ConfigureAwait(false);
        ReadOnlyMemory<byte> rest = _response.Body[_taken..];
        rest = rest[..Math.Min(rest.Length, count)].ToArray();
        _taken += rest.Length;
        return rest;
    }

    /// <summary>Receives until the response has ended, and returns it with its whole body.</summary>
    public async Task<FastCgiTestResponse> ReadToEndAsync(CancellationToken cancellationToken = default)
    {
        await ReceiveUntilAsync("the end of the response", static () => false, cancellationToken).ConfigureAwait(false);
        return _response.ToResponse();
    }

    /// <summary>The method and the target of the request.</summary>
    public override string ToString() => $"{_request.Method} {_request.Target}";

    internal Task SendAsync(byte[] bytes, CancellationToken cancellationToken) => WithinAsync(
        $"room to send {bytes.Length} bytes",
        async token => await _wire.WriteAsync(bytes, token).ConfigureAwait(false),
        cancellationToken);

    /// <summary>Sends, unless the server closes the connection: then the response tells more.</summary>
    internal async Task WriteOrStopAsync(byte[] bytes, CancellationToken cancellationToken)
    {
        try
        {
            await SendAsync(bytes, cancellationToken).ConfigureAwait(false);
        }
        catch (IOException)
        {
        }
    }

    private Task ReceiveUntilAsync(string awaited, Func<bool> isThere, CancellationToken cancellationToken) =>
        WithinAsync(
            awaited,
            async token =>
            {
                while (!_response.IsEnded && !isThere())
                {
                    ReadOnlyMemory<byte> received = await _wire.ReceiveAsync(token).ConfigureAwait(false);
                    _response.Add(received.Span);
                }
            },
            cancellationToken);

    private async Task WithinAsync(
        string awaited, Func<CancellationToken, Task> action, CancellationToken cancellationToken)
    {
        TimeSpan limit = _wire.Timeout <= s_longest ? _wire.Timeout : Timeout.InfiniteTimeSpan;
        using var timed = new CancellationTokenSource(limit);
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(timed.Token, cancellationToken);
        try
        {
            await action(linked.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException exception)
            when (timed.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new TimeoutException(
                $"{this}: not within {_wire.Timeout.TotalSeconds} s: {awaited}. Received: " +
                $"{_response.ToResponse()}.",
                exception);
        }
    }
}
