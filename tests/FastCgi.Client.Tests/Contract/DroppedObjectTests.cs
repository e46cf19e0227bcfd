using System.Runtime.CompilerServices;

namespace FastCgi.Client.Tests.Contract;

/// <summary>A caller may forget to dispose. Connections and memory are not lost, as with the handlers of .NET.</summary>
public sealed class DroppedObjectTests
{
    private static readonly AsyncLocal<object?> s_local = new();

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task A_response_that_is_dropped_gives_its_place_to_the_next_request(bool isShared, bool isRead)
    {
        using var application = new ScriptedApplication(options =>
        {
            options.MaxConnections = 1;
            options.MultiplexRequests = isShared;
        });
        ApplicationConnection connection = await DropResponseAsync(application, isShared, isRead);
        Task<HttpResponseMessage> next = application.SendAsync();
        await ClosedByCollectionAsync(connection);
        var another = await application.AcceptAsync(isShared);

        await another.ServeAsync(next);
    }

    [Fact]
    public async Task A_whole_response_that_is_dropped_keeps_its_connection()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        ApplicationConnection connection = await DropWholeResponseAsync(application);
        Task<HttpResponseMessage> next = application.SendAsync();
        Task<ReceivedRequest> expecting = connection.ExpectRequestAsync();
        await CollectedAsync(() => expecting.IsCompleted, "The response keeps its place.");
        await connection.AnswerAsync(next, id: (await expecting).Id);
        Assert.Equal(1, application.Opened);
    }

    /// <summary>The caller holds the task of a read alone, and no response.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(64 * 1024)]
    public async Task A_response_that_is_being_read_is_not_dropped(int size)
    {
        using var application = new ScriptedApplication();
        byte[] buffer = new byte[size];
        (ApplicationConnection connection, Task<int> read) = await ReadAndDropResponseAsync(application, buffer);
        for (int i = 0; i < 5; i++)
        {
            Collect();
        }

        Assert.False(read.IsCompleted);
        await connection.SendAsync(new RecordBuilder().Stdout("x"));
        Assert.Equal(1, await read.Within("the read"));
        Assert.Equal((byte)'x', buffer[0]);
        await ClosedByCollectionAsync(connection);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_handler_that_is_dropped_with_its_connections_is_collected(bool isShared)
    {
        using var application = new ScriptedApplication();
        (WeakReference callback, ApplicationConnection connection) = await DropHandlerAsync(application, isShared);
        await CollectedAsync(() => !callback.IsAlive, "The handler is kept alive.");
        if (isShared)
        {
            await ClosedByCollectionAsync(connection);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_connection_does_not_keep_the_context_of_its_first_request(bool isShared)
    {
        using var application = new ScriptedApplication(options => options.MultiplexRequests = isShared);
        WeakReference context = await ExchangeInContextAsync(application, isShared);
        await CollectedAsync(() => !context.IsAlive, "The connection keeps the context.");
    }

    [Fact]
    public async Task A_handler_may_be_made_and_used_without_a_context()
    {
        ScriptedApplication application;
        Task<HttpResponseMessage> sending;
        using (ExecutionContext.SuppressFlow())
        {
            application = new ScriptedApplication(static options => options.MultiplexRequests = true);
            sending = application.SendAsync();
        }

        using (application)
        {
            var connection = await application.AcceptSharedAsync();
            await connection.ServeAsync(sending);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<ApplicationConnection> DropResponseAsync(
        ScriptedApplication application, bool isShared, bool isRead)
    {
        var (connection, sending) = await application.BeginAsync(isShared: isShared);
        await connection.SendAsync(new RecordBuilder().Stdout("A: b\n\nhello"));
        HttpResponseMessage response = await sending.Within("a response");
        if (isRead)
        {
            Stream body = await response.Content.ReadAsStreamAsync();
            await body.ReadExactlyAsync(new byte[5]).AsTask().Within("what has come");
        }

        return connection;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<ApplicationConnection> DropWholeResponseAsync(ScriptedApplication application)
    {
        var (connection, sending) = await application.BeginAsync();
        await connection.RespondAsync("Content-Length: 5\n\nhello");
        _ = await sending.Within("a response");
        return connection;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<(ApplicationConnection Connection, Task<int> Read)> ReadAndDropResponseAsync(
        ScriptedApplication application, byte[] buffer)
    {
        var (connection, sending) = await application.BeginAsync();
        await connection.SendAsync(new RecordBuilder().Stdout("A: b\n\n"));
        HttpResponseMessage response = await sending.Within("a response");
        return (connection, (await response.Content.ReadAsStreamAsync()).ReadAsync(buffer).AsTask());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<(WeakReference Callback, ApplicationConnection Connection)> DropHandlerAsync(
        ScriptedApplication application, bool isShared)
    {
        // The handler's connections have it, and nothing else.
        Func<FastCgiConnectContext, CancellationToken, ValueTask<Stream>> connect =
            (context, cancellationToken) => application.ConnectAsync(context, cancellationToken);
        var handler = new FastCgiHandler(new FastCgiHandlerOptions
        {
            Endpoint = "app",
            ConnectCallback = connect,
            MultiplexRequests = isShared,
            PooledConnectionIdleTimeout = Timeout.InfiniteTimeSpan,
        });
        var invoker = new HttpMessageInvoker(handler);
        Task<HttpResponseMessage> sending =
            invoker.SendAsync(new HttpRequestMessage(HttpMethod.Get, "http://localhost/"), CancellationToken.None);
        var connection = await application.AcceptAsync(isShared);

        await connection.ServeAsync(sending);
        return (new WeakReference(connect), connection);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> ExchangeInContextAsync(ScriptedApplication application, bool isShared)
    {
        s_local.Value = new object();
        var context = new WeakReference(s_local.Value);
        Task<HttpResponseMessage> sending = application.SendAsync();
        s_local.Value = null;
        var connection = await application.AcceptAsync(isShared);

        await connection.ServeAsync(sending);
        return context;
    }

    private static async Task ClosedByCollectionAsync(ApplicationConnection connection)
    {
        Task closing = connection.ExpectClosedAsync();
        await CollectedAsync(() => closing.IsCompleted, "The connection stays open.");
        await closing;
    }

    private static Task CollectedAsync(Func<bool> condition, string otherwise) => Eventually.HoldsAsync(
        () =>
        {
            Collect();
            return condition();
        },
        () => otherwise);

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }
}
