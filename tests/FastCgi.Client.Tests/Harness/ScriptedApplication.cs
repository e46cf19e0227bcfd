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
        var options = new FastCgiHandlerOptions
        {
            Endpoint = "app",
            ConnectCallback = ConnectAsync,
            TimeProvider = Clock,
        };
        configure?.Invoke(options);
        Invoker = new HttpMessageInvoker(new FastCgiHandler(options));
    }

    public HttpMessageInvoker Invoker { get; }

    /// <summary>Of the client. It stands still until the test advances it.</summary>
    public ManualTimeProvider Clock { get; } = new();

    public int Opened => _opened;

    public static HttpRequestMessage Post(HttpContent? content) =>
        new(HttpMethod.Post, "http://localhost/") { Content = content };

    /// <summary>An application whose first connection is this one, and which has one at a time.</summary>
    public static ScriptedApplication Over(Stream connection, Action<FastCgiHandlerOptions>? configure = null)
    {
        Stream? first = connection;
        return new ScriptedApplication(options =>
        {
            options.MaxConnections = 1;
            var connect = options.ConnectCallback!;
            options.ConnectCallback = async (context, cancellationToken) =>
                Interlocked.Exchange(ref first, null) ?? await connect(context, cancellationToken);
            configure?.Invoke(options);
        });
    }

    /// <summary>A request for another protocol on its connection.</summary>
    public static HttpRequestMessage Upgrade() =>
        new(HttpMethod.Get, "http://localhost/") { Headers = { { "Connection", "Upgrade" }, { "Upgrade", "mine" } } };

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

    /// <summary>A request on a new connection, of which nothing has been read.</summary>
    public async Task<(ApplicationConnection Connection, Task<HttpResponseMessage> Sending)> OpenAsync(
        HttpRequestMessage? request = null, bool isShared = false, CancellationToken cancellationToken = default)
    {
        Task<HttpResponseMessage> sending = SendAsync(request, cancellationToken);
        return (await AcceptAsync(isShared), sending);
    }

    /// <summary>A request on a new connection, up to the end of its body.</summary>
    public async Task<(ApplicationConnection Connection, Task<HttpResponseMessage> Sending)> BeginAsync(
        HttpRequestMessage? request = null, bool isShared = false, CancellationToken cancellationToken = default)
    {
        var (connection, sending) = await OpenAsync(request, isShared, cancellationToken);
        await connection.ExpectRequestAsync();
        return (connection, sending);
    }

    /// <summary>The connection of a request that has been served.</summary>
    public async Task<ApplicationConnection> ServeAsync(HttpRequestMessage? request = null)
    {
        var (connection, sending) = await OpenAsync(request);
        await connection.ServeAsync(sending, "body");
        return connection;
    }

    /// <summary>A connection that the application is known to keep, so that any request may use it.</summary>
    public async Task<ApplicationConnection> ServeTwiceAsync()
    {
        var connection = await ServeAsync();
        await connection.ServeAsync(SendAsync(), "body");
        return connection;
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

    /// <summary>Requests on one connection, each answered by these records cut in another way.</summary>
    public async Task AnswerAtEverySplitAsync(Func<int, byte[]> records, Func<HttpResponseMessage, Task> check)
    {
        var (connection, sending) = await OpenAsync();
        int count = Splits.All(records(1)).Count();
        for (int i = 0; i < count; i++)
        {
            int id = (await connection.ExpectRequestAsync()).Id;
            foreach (var piece in Splits.All(records(id)).ElementAt(i))
            {
                await connection.SendAsync(piece);
            }

            using var response = await sending.Within("a response");
            await check(response);
            sending = SendAsync();
        }

        Assert.Equal(1, Opened);
        connection.Close();
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
        var (connection, sending) = await OpenAsync(request);
        var received = await connection.ExpectRequestAsync();
        await connection.RespondAsync(answer);
        return (received, await sending.Within("a response"));
    }

    /// <summary>The next connection that the client opens.</summary>
    public async Task<ApplicationConnection> AcceptAsync(bool isShared = false) => isShared
        ? await AcceptSharedAsync()
        : await _connections.Reader.ReadAsync().AsTask().Within("a connection of the client");

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
