namespace FastCgi.Client.Tests.Connections;

/// <summary>
/// A peer may close a connection behind its answer although it was asked to keep it. A request that is sent only once
/// goes only where that is unlikely.
/// </summary>
public sealed class ClosingPeerTests : ClientTest
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_request_that_is_sent_once_takes_no_connection_that_has_just_answered_its_first(bool isStream)
    {
        var first = await Application.ServeAsync();
        Task<HttpResponseMessage> sending = Application.SendAsync(isStream ? Stream("body") : Post("body"));
        var second = await Application.AcceptAsync();
        first.Close();
        Assert.Equal("body"u8.ToArray(), (await second.ExpectRequestAsync()).Body);
        await second.AnswerAsync(sending, "body");
    }

    [Fact]
    public async Task A_request_that_waited_gets_another_connection_than_the_one_that_came_back()
    {
        using var application = new ScriptedApplication(static options => options.MaxConnections = 1);
        var (connection, first) = await application.OpenAsync();
        Task<HttpResponseMessage> waiting = application.SendAsync(Stream("body"));
        await connection.ServeAsync(first, "body");
        var other = await application.AcceptAsync();
        Assert.Equal("body"u8.ToArray(), (await other.ExpectRequestAsync()).Body);
        await other.AnswerAsync(waiting, "body");
        await connection.ExpectClosedAsync();
    }

    [Fact]
    public async Task Where_a_connection_was_kept_the_body_uses_it()
    {
        var connection = await Application.ServeTwiceAsync();
        await connection.ServeAsync(Application.SendAsync(Stream("body")), "body");
        Assert.Equal(1, Application.Opened);
    }

    [Fact]
    public async Task A_connection_that_stayed_open_for_a_second_takes_the_body()
    {
        var connection = await Application.ServeAsync();
        Application.Clock.Advance(TimeSpan.FromSeconds(1));
        await connection.ServeAsync(Application.SendAsync(Stream("body")), "body");
        Assert.Equal(1, Application.Opened);
    }

    [Fact]
    public async Task Of_many_requests_in_a_row_that_are_sent_once_the_first_connection_stays_until_it_has_settled()
    {
        var first = await Application.ServeAsync(Post("body"));
        var second = await Application.ServeAsync(Post("body"));
        var third = await Application.ServeAsync(Post("body"));
        await second.ExpectClosedAsync();
        Application.Clock.Advance(TimeSpan.FromSeconds(1));
        await first.ServeAsync(Application.SendAsync(Post("body")), "body");
        await first.ServeAsync(Application.SendAsync(Post("body")), "body");
        Assert.False(third.Stream.IsDisposed);
        Assert.Equal(3, Application.Opened);
    }

    [Fact]
    public async Task A_peer_that_has_closed_a_kept_connection_is_not_trusted_for_a_minute()
    {
        using var application = new ScriptedApplication(
            static options => options.PooledConnectionIdleTimeout = Timeout.InfiniteTimeSpan);
        var connection = await application.ServeTwiceAsync();
        connection.Close();
        await application.ServeTwiceAsync();

        var (other, sending) = await application.BeginAsync(Stream("body"));
        await other.AnswerAsync(sending, "body");
        Assert.Equal(3, application.Opened);

        application.Clock.Advance(TimeSpan.FromMinutes(1));
        await other.ServeAsync(application.SendAsync(Stream("body")), "body");
        await other.ServeAsync(application.SendAsync(Stream("body")), "body");
        Assert.Equal(3, application.Opened);
    }

    private static HttpRequestMessage Post(string body) => ScriptedApplication.Post(new StringContent(body));

    private static HttpRequestMessage Stream(string body) =>
        ScriptedApplication.Post(new StreamContent(new MemoryStream(Encoding.ASCII.GetBytes(body))));
}
