using System.Threading.Channels;

namespace FastCgi.Client.Tests.Harness;

/// <summary>An application whose every byte the test writes. Its connections are in memory.</summary>
internal sealed class ScriptedApplication : IDisposable
{
    private readonly Channel<ApplicationConnection> _connections = Channel.CreateUnbounded<ApplicationConnection>();
    private readonly int _window;
    private int _opened;

    public ScriptedApplication(Action<FastCgiHandlerOptions>? configure = null, int window = 64 * 1024)
    {
        _window = window;
        var options = new FastCgiHandlerOptions { Endpoint = "app", ConnectCallback = ConnectAsync };
        configure?.Invoke(options);
        Invoker = new HttpMessageInvoker(new FastCgiHandler(options));
    }

    public HttpMessageInvoker Invoker { get; }

    public int Opened => _opened;

    public Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage? request = null, CancellationToken cancellationToken = default) =>
        Invoker.SendAsync(request ?? new HttpRequestMessage(HttpMethod.Get, "http://localhost/"), cancellationToken);

    /// <summary>The connection of a request that is cancelled once the application has all of it.</summary>
    public async Task<ApplicationConnection> AcceptCancelledAsync()
    {
        using var cancellation = new CancellationTokenSource();
        Task<HttpResponseMessage> sending = SendAsync(cancellationToken: cancellation.Token);
        var connection = await AcceptAsync();
        await connection.ExpectRequestAsync();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.Within("an end"));
        return connection;
    }

    /// <summary>A request on a new connection, and the response to it.</summary>
    public async Task<(ReceivedRequest Request, HttpResponseMessage Response)> ExchangeAsync(
        HttpRequestMessage? request = null, string answer = "A: b\n\n")
    {
        Task<HttpResponseMessage> sending = SendAsync(request);
        var connection = await AcceptAsync();
        var received = await connection.ExpectRequestAsync();
        await connection.RespondAsync(answer);
        return (received, await sending.Within("a response"));
    }

    /// <summary>The next connection that the client opens.</summary>
    public Task<ApplicationConnection> AcceptAsync() =>
        _connections.Reader.ReadAsync().AsTask().Within("a connection of the client");

    /// <summary>Opens a connection, for a handler that the test does not make itself.</summary>
    public ValueTask<Stream> ConnectAsync(FastCgiConnectContext context, CancellationToken cancellationToken)
    {
        (DuplexStream client, DuplexStream application) = DuplexStream.Pair(_window);
        Interlocked.Increment(ref _opened);
        _connections.Writer.TryWrite(new ApplicationConnection(application));
        return new(client);
    }

    public void Dispose() => Invoker.Dispose();
}
