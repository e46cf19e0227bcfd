using FastCgi.Testing.Connections;
using FastCgi.Testing.Requests;

namespace FastCgi.Testing;

/// <summary>
/// A connection to the server on which a test acts as the web server. It sends whole requests, or pieces of one at any
/// time. One request at a time, several one after the other. An incomplete response is returned, and not thrown.
/// </summary>
/// <example>
/// <code>
/// using var connection = await factory.ConnectFastCgiAsync();
/// var response = await connection.SendAsync(
///     new FastCgiTestRequest("POST", "/upload") { Body = new byte[10], ContentLength = 100 });
/// Assert.Equal(400, response.StatusCode);
/// </code>
/// </example>
public sealed class FastCgiTestConnection : IDisposable
{
    private readonly TestWire _wire;
    private readonly FastCgiTestClientOptions _options;
    private FastCgiTestExchange? _last;

    internal FastCgiTestConnection(IConnectionEnd end, FastCgiTestClientOptions options)
    {
        _wire = new TestWire(end, options.WriteSize);
        _options = options;
    }

    /// <summary>
    /// The time limit of a call. Default 30 seconds, so that no test hangs;
    /// <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> for no limit. A call that takes longer throws
    /// <see cref="TimeoutException"/>, whose message tells what has arrived.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is neither above zero nor infinite.</exception>
    public TimeSpan Timeout
    {
        get => _wire.Timeout;
        set => _wire.Timeout = value > TimeSpan.Zero || value == System.Threading.Timeout.InfiniteTimeSpan
            ? value
            : throw new ArgumentOutOfRangeException(
                nameof(value), value, "Timeout is above zero, or Timeout.InfiniteTimeSpan for no limit.");
    }

    /// <summary>
    /// Sends a whole request and returns the whole response. If the server closes the connection first, or tears the
    /// response, returns the part that has arrived: see <see cref="FastCgiTestResponse.IsComplete"/>.
    /// </summary>
    /// <exception cref="InvalidOperationException">The last response has not been read to its end.</exception>
    /// <exception cref="TimeoutException">The response has not ended within <see cref="Timeout"/>.</exception>
    public async Task<FastCgiTestResponse> SendAsync(
        FastCgiTestRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        FastCgiTestExchange exchange = Begin(request);
        byte[] bytes =
        [
            .. RequestRecords.Head(request, _options),
            .. RequestRecords.Body(request.Body.Span),
            .. RequestRecords.EndOfBody(),
        ];

        // In parallel, because the server may answer before it has the whole body.
        Task sending = exchange.WriteOrStopAsync(bytes, cancellationToken);
        FastCgiTestResponse response = await exchange.ReadToEndAsync(cancellationToken).ConfigureAwait(false);
        await sending.ConfigureAwait(false);
        return response;
    }

    /// <summary>
    /// Sends the head of a request and its <see cref="FastCgiTestRequest.Body"/>, and leaves the rest to the test: an
    /// abort, reading the response, and the rest of the body if <see cref="FastCgiTestRequest.ContentLength"/> is
    /// larger than the body. Otherwise the body ends here.
    /// </summary>
    /// <exception cref="InvalidOperationException">The last response has not been read to its end.</exception>
    /// <exception cref="IOException">The connection is lost.</exception>
    public async Task<FastCgiTestExchange> StartAsync(
        FastCgiTestRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        FastCgiTestExchange exchange = Begin(request);
        await exchange.SendAsync(RequestRecords.Head(request, _options), cancellationToken).ConfigureAwait(false);
        await exchange.WriteAsync(request.Body, cancellationToken).ConfigureAwait(false);
        if (request.ContentLength is null || request.ContentLength <= request.Body.Length)
        {
            await exchange.CompleteAsync(cancellationToken).ConfigureAwait(false);
        }

        return exchange;
    }

    /// <summary>
    /// Loses the connection: the server sees a reset over TCP, and an end of the stream over a unix socket.
    /// </summary>
    public void Reset() => _wire.Reset();

    /// <summary>Closes the connection, as a web server does that needs it no longer.</summary>
    public void Dispose() => _wire.Dispose();

    private FastCgiTestExchange Begin(FastCgiTestRequest request)
    {
        if (_last is { IsEnded: false })
        {
            throw new InvalidOperationException(
                $"The response to {_last} has not been read to its end. Read it, or take another connection.");
        }

        return _last = new FastCgiTestExchange(_wire, request);
    }
}
