using System.Threading.Channels;

namespace FastCgi.Client.Tests.Harness;

/// <summary>An application whose every byte the test writes. Its connections are in memory.</summary>
internal sealed class ScriptedApplication : IDisposable
{
    private readonly Channel<ApplicationConnection> _connections = Channel.CreateUnbounded<ApplicationConnection>();
    private readonly List<HttpResponseMessage> _responses = [];
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

    public static HttpRequestMessage Post(HttpContent? content) =>
        new(HttpMethod.Post, "http://localhost/") { Content = content };

    /// <summary>A client with a handler of its own, which it disposes.</summary>
    public HttpClient CreateClient(bool isShared = false) => new(new FastCgiHandler(new FastCgiHandlerOptions
    {
        Endpoint = "app",
        ConnectCallback = ConnectAsync,
        MultiplexRequests = isShared,
    }));

    public Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage? request = null, CancellationToken cancellationToken = default) =>
        Invoker.SendAsync(request ?? new HttpRequestMessage(HttpMethod.Get, "http://localhost/"), cancellationToken);

    /// <summary>A request on a new connection, up to the end of its body.</summary>
    public async Task<(ApplicationConnection Connection, Task<HttpResponseMessage> Sending)> BeginAsync(
        HttpRequestMessage? request = null, bool isShared = false, CancellationToken cancellationToken = default)
    {
        Task<HttpResponseMessage> sending = SendAsync(request, cancellationToken);
        var connection = isShared ? await AcceptSharedAsync() : await AcceptAsync();
        await connection.ExpectRequestAsync();
        return (connection, sending);
    }

    /// <summary>A response of which this much has come. It is disposed with the application.</summary>
    public async Task<(ApplicationConnection Connection, HttpResponseMessage Response)> BeginResponseAsync(
        string start, HttpRequestMessage? request = null, bool isShared = false)
    {
        var (connection, sending) = await BeginAsync(request, isShared);
        await connection.SendAsync(new RecordBuilder().Stdout(start));
        var response = await sending.Within("a response");
        _responses.Add(response);
        return (connection, response);
    }

    /// <summary>The connection of a request that is cancelled once the application has all of it.</summary>
    public async Task<ApplicationConnection> AcceptCancelledAsync()
    {
        using var cancellation = new CancellationTokenSource();
        var (connection, sending) = await BeginAsync(cancellationToken: cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.Within("an end"));
        return connection;
    }

    /// <summary>The request as the application has it.</summary>
    public async Task<ReceivedRequest> ReceiveAsync(HttpRequestMessage? request = null)
    {
        (ReceivedRequest received, HttpResponseMessage response) = await ExchangeAsync(request);
        response.Dispose();
        return received;
    }

    /// <summary>The response to a request on a new connection.</summary>
    public async Task<HttpResponseMessage> AnswerAsync(string answer, HttpRequestMessage? request = null) =>
        (await ExchangeAsync(request, answer)).Response;

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

    /// <summary>The next connection, whose application says that it multiplexes.</summary>
    public async Task<ApplicationConnection> AcceptSharedAsync(bool isAllowed = true, int? most = null)
    {
        var connection = await AcceptAsync();
        await connection.AllowMultiplexingAsync(isAllowed, most);
        return connection;
    }

    /// <summary>Opens a connection, for a handler that the test does not make itself.</summary>
    public ValueTask<Stream> ConnectAsync(FastCgiConnectContext context, CancellationToken cancellationToken)
    {
        (DuplexStream client, DuplexStream application) = DuplexStream.Pair(_window);
        Interlocked.Increment(ref _opened);
        _connections.Writer.TryWrite(new ApplicationConnection(application));
        return new(client);
    }

    public void Dispose()
    {
        _responses.ForEach(static response => response.Dispose());
        Invoker.Dispose();
    }
}
