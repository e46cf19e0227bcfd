using FastCgi.Client.Tests.Harness;

namespace FastCgi.Client.Tests.Connections;

/// <summary>
/// A peer may close a connection behind its answer although it was asked to keep it. A request that is sent only once
/// goes only where that is unlikely.
/// </summary>
public sealed class ClosingPeerTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_request_that_is_sent_once_takes_no_connection_that_has_just_answered_its_first(bool isStream)
    {
        using var application = new ScriptedApplication();
        var first = await ServeFirstAsync(application);
        Task<HttpResponseMessage> sending = application.SendAsync(isStream ? Stream("body") : Post("body"));
        var second = await application.AcceptAsync();
        first.Close();
        Assert.Equal("body"u8.ToArray(), (await second.ExpectRequestAsync()).Body);
        await RespondAsync(second, sending);
    }

    [Fact]
    public async Task A_request_that_waited_gets_another_connection_than_the_one_that_came_back()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        Task<HttpResponseMessage> first = application.SendAsync();
        var connection = await application.AcceptAsync();
        Task<HttpResponseMessage> waiting = application.SendAsync(Stream("body"));
        await connection.ExpectRequestAsync();
        await RespondAsync(connection, first);
        var other = await application.AcceptAsync();
        Assert.Equal("body"u8.ToArray(), (await other.ExpectRequestAsync()).Body);
        await RespondAsync(other, waiting);
        await connection.ExpectClosedAsync();
    }

    [Fact]
    public async Task Where_a_connection_was_kept_the_body_uses_it()
    {
        using var application = new ScriptedApplication();
        var connection = await ServeFirstAsync(application);
        await ServeAsync(connection, application.SendAsync());
        await ServeAsync(connection, application.SendAsync(Stream("body")));
        Assert.Equal(1, application.Opened);
    }

    [Fact]
    public async Task A_connection_that_stayed_open_for_a_second_takes_the_body()
    {
        var clock = new ManualTimeProvider();
        using var application = new ScriptedApplication(options => options.TimeProvider = clock);
        var connection = await ServeFirstAsync(application);
        clock.Advance(TimeSpan.FromSeconds(1));
        await ServeAsync(connection, application.SendAsync(Stream("body")));
        Assert.Equal(1, application.Opened);
    }

    [Fact]
    public async Task Of_many_requests_in_a_row_that_are_sent_once_the_first_connection_stays_until_it_has_settled()
    {
        var clock = new ManualTimeProvider();
        using var application = new ScriptedApplication(options => options.TimeProvider = clock);
        var first = await ServeFirstAsync(application, Post("body"));
        var second = await ServeFirstAsync(application, Post("body"));
        var third = await ServeFirstAsync(application, Post("body"));
        await second.ExpectClosedAsync();
        clock.Advance(TimeSpan.FromSeconds(1));
        await ServeAsync(first, application.SendAsync(Post("body")));
        await ServeAsync(first, application.SendAsync(Post("body")));
        Assert.False(third.Stream.IsDisposed);
        Assert.Equal(3, application.Opened);
    }

    [Fact]
    public async Task A_peer_that_has_closed_a_kept_connection_is_not_trusted_for_a_minute()
    {
        var clock = new ManualTimeProvider();
        using var application = new ScriptedApplication(options =>
        {
            options.TimeProvider = clock;
            options.PooledConnectionIdleTimeout = Timeout.InfiniteTimeSpan;
        });
        var connection = await ServeFirstAsync(application);
        await ServeAsync(connection, application.SendAsync());
        connection.Close();
        connection = await ServeFirstAsync(application);
        await ServeAsync(connection, application.SendAsync());

        Task<HttpResponseMessage> sending = application.SendAsync(Stream("body"));
        var other = await application.AcceptAsync();
        await other.ExpectRequestAsync();
        await RespondAsync(other, sending);
        Assert.Equal(3, application.Opened);

        clock.Advance(TimeSpan.FromMinutes(1));
        await ServeAsync(other, application.SendAsync(Stream("body")));
        await ServeAsync(other, application.SendAsync(Stream("body")));
        Assert.Equal(3, application.Opened);
    }

    private static HttpRequestMessage Post(string body) =>
        new(HttpMethod.Post, "http://localhost/") { Content = new StringContent(body) };

    private static HttpRequestMessage Stream(string body)
    {
        var content = new StreamContent(new MemoryStream(System.Text.Encoding.ASCII.GetBytes(body)));
        return new HttpRequestMessage(HttpMethod.Post, "http://localhost/") { Content = content };
    }

    private static async Task<ApplicationConnection> ServeFirstAsync(
        ScriptedApplication application, HttpRequestMessage? request = null)
    {
        Task<HttpResponseMessage> sending = application.SendAsync(request);
        var connection = await application.AcceptAsync();
        await ServeAsync(connection, sending);
        return connection;
    }

    private static async Task ServeAsync(ApplicationConnection connection, Task<HttpResponseMessage> sending)
    {
        await connection.ExpectRequestAsync();
        await RespondAsync(connection, sending);
    }

    private static async Task RespondAsync(ApplicationConnection connection, Task<HttpResponseMessage> sending)
    {
        await connection.RespondAsync("A: b\n\nbody");
        using var response = await sending.Within("a response");
        await response.Content.ReadAsByteArrayAsync().Within("the body");
    }
}
