namespace FastCgi.Client.Tests.Connections;

/// <summary>Connections are shared in turn, never longer than allowed, and never beyond their number.</summary>
public sealed class PooledConnectionTests : ClientTest
{
    [Theory]
    [InlineData("GET", null)]
    [InlineData("HEAD", null)]
    [InlineData("OPTIONS", null)]
    [InlineData("TRACE", null)]
    [InlineData("PUT", "body")]
    [InlineData("DELETE", "body")]
    public async Task A_peer_that_closes_on_a_later_request_gets_it_again_on_another_connection(
        string method, string? body)
    {
        var first = await Application.ServeTwiceAsync();
        Task<HttpResponseMessage> sending = Application.SendAsync(Request(method, body));
        await first.ExpectRequestAsync();
        first.Close();
        var second = await Application.AcceptAsync();
        Assert.Equal(body ?? "", System.Text.Encoding.ASCII.GetString((await second.ExpectRequestAsync()).Body));
        await second.AnswerAsync(sending);
    }

    /// <summary>The application may have done its work before it closed (RFC 9110, section 9.2.2).</summary>
    [Theory]
    [InlineData("POST", null)]
    [InlineData("POST", "body")]
    [InlineData("PATCH", "body")]
    [InlineData("LOCK", null)]
    public async Task A_request_that_may_not_be_done_twice_is_sent_once(string method, string? body)
    {
        var first = await Application.ServeTwiceAsync();
        Task<HttpResponseMessage> sending = Application.SendAsync(Request(method, body));
        await first.ExpectRequestAsync();
        first.Close();
        await sending.FailsAsync(FastCgiError.ResponseEnded);
        Assert.Equal(1, Application.Opened);
    }

    /// <summary>Nothing of the request has left, so the application has done nothing.</summary>
    [Fact]
    public async Task A_request_that_may_not_be_done_twice_takes_no_connection_that_the_peer_has_closed()
    {
        var first = await Application.ServeTwiceAsync();
        first.Close();
        Task<HttpResponseMessage> sending = Application.SendAsync(Request("POST", "body"));
        var second = await Application.AcceptAsync();
        Assert.Equal("body"u8.ToArray(), (await second.ExpectRequestAsync()).Body);
        await second.AnswerAsync(sending);
    }

    /// <summary>What comes late of a request that is over can be no other's answer, because ids are not used again.</summary>
    [Fact]
    public async Task What_comes_after_the_end_of_a_request_is_no_answer_to_the_next()
    {
        var first = await Application.ServeAsync();
        Task<HttpResponseMessage> sending = Application.SendAsync();
        Assert.Equal(2, (await first.ExpectRequestAsync()).Id);
        await first.RespondAsync("A: b\n\nlate", id: 1);
        var second = await Application.AcceptAsync();
        Assert.Equal(1, (await second.ExpectRequestAsync()).Id);
        await second.AnswerAsync(sending, "own");
    }

    [Fact]
    public async Task Padding_of_the_last_record_is_no_excess()
    {
        var (connection, sending) = await Application.BeginAsync();
        await connection.SendAsync(
            new RecordBuilder().Stdout("A: b\n\n").Record(6, 1, []).Record(3, 1, new byte[8], padding: 7).ToArray());
        using (var response = await sending.Within("a response"))
        {
            await response.Content.ReadAsByteArrayAsync().Within("the body");
        }

        sending = Application.SendAsync();
        Assert.Equal(2, (await connection.ExpectRequestAsync()).Id);
        await connection.AnswerAsync(sending);
        Assert.Equal(1, Application.Opened);
    }

    [Fact]
    public async Task A_request_that_got_a_byte_is_not_sent_again()
    {
        var first = await Application.ServeAsync();
        Task<HttpResponseMessage> sending = Application.SendAsync();
        await first.ExpectRequestAsync();
        await first.SendAsync(new byte[] { 1 });
        first.Close();
        await Assert.ThrowsAsync<FastCgiException>(() => sending.Within("an error"));
        Assert.Equal(1, Application.Opened);
    }

    [Fact]
    public async Task An_idle_connection_is_closed_when_its_time_has_come()
    {
        using var application = new ScriptedApplication(
            static options => options.PooledConnectionIdleTimeout = TimeSpan.FromSeconds(10));
        var connection = await application.ServeAsync();
        application.Clock.Advance(TimeSpan.FromSeconds(9));
        Assert.False(connection.Stream.IsDisposed);
        application.Clock.Advance(TimeSpan.FromSeconds(2));
        await connection.ExpectClosedAsync();
    }

    [Fact]
    public async Task An_old_connection_takes_no_further_request()
    {
        using var application = new ScriptedApplication(
            static options => options.PooledConnectionLifetime = TimeSpan.FromSeconds(10));
        var (connection, sending) = await application.BeginAsync();
        application.Clock.Advance(TimeSpan.FromSeconds(10));
        await connection.AnswerAsync(sending);
        await connection.ExpectClosedAsync();
    }

    [Fact]
    public async Task A_request_that_waits_behind_an_old_connection_gets_another()
    {
        using var application = new ScriptedApplication(options =>
        {
            options.MaxConnections = 1;
            options.PooledConnectionLifetime = TimeSpan.FromSeconds(10);
        });
        Task<HttpResponseMessage> first = application.SendAsync();
        var (connection, second) = await application.BeginAsync();
        application.Clock.Advance(TimeSpan.FromSeconds(11));
        await connection.AnswerAsync(first);
        await connection.ExpectClosedAsync();
        await (await application.AcceptAsync()).ServeAsync(second);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_idle_connection_whose_time_has_come_takes_no_request_before_the_sweep(bool isOld)
    {
        using var application = new ScriptedApplication(options =>
        {
            options.PooledConnectionLifetime = isOld ? TimeSpan.FromSeconds(10.5) : Timeout.InfiniteTimeSpan;
            options.PooledConnectionIdleTimeout = isOld ? Timeout.InfiniteTimeSpan : TimeSpan.FromSeconds(10.5);
        });
        var connection = await application.ServeAsync();
        application.Clock.Advance(TimeSpan.FromSeconds(10.7));
        Assert.False(connection.Stream.IsDisposed);
        await application.ServeAsync();
        await connection.ExpectClosedAsync();
    }

    /// <summary>What the stream still writes must not become the body of somebody else's request.</summary>
    [Fact]
    public async Task An_upgraded_connection_takes_no_further_request()
    {
        using var request = ScriptedApplication.Upgrade();
        var (connection, sending) = await Application.BeginAsync(request);
        await connection.RespondAsync("Status: 101\n\nhello");
        using var response = await sending.Within("an upgrade");
        Stream both = await response.Content.ReadAsStreamAsync();
        await both.ReadExactlyAsync(new byte["hello".Length]).AsTask().Within("a greeting");
        Assert.Equal(0, await both.ReadAsync(new byte[1]).AsTask().Within("the end"));

        var (second, next) = await Application.BeginAsync();
        await second.AnswerAsync(next);
        await connection.ExpectClosedAsync();
    }

    /// <summary>Half a record may be on the wire, and the rest of it is not sent again from its beginning.</summary>
    [Fact]
    public async Task An_upgraded_connection_sends_nothing_behind_a_write_that_was_cancelled()
    {
        using var application = new ScriptedApplication(window: 4096);
        using var cancellation = new CancellationTokenSource();
        using var request = ScriptedApplication.Upgrade();
        var (connection, response) = await application.BeginResponseAsync("Status: 101\n\n", request);
        Stream both = await response.Content.ReadAsStreamAsync();
        Task writing = both.WriteAsync(new byte[10_000], cancellation.Token).AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => writing.Within("an end"));
        await connection.ExpectRecordAsync();
        await Assert.ThrowsAsync<IOException>(() => both.WriteAsync(new byte[1]).AsTask().Within("an error"));
    }

    [Theory]
    [InlineData(null, null, true)]
    [InlineData(null, "/srv/blog", false)]
    [InlineData(true, "/srv/blog", true)]
    [InlineData(false, null, false)]
    public async Task The_peer_is_asked_to_keep_the_connection(bool? option, string? root, bool expected)
    {
        using var application = new ScriptedApplication(options =>
        {
            options.KeepConnection = option;
            options.DocumentRoot = root;
        });
        var (connection, sending) = await application.OpenAsync();
        Assert.Equal(expected, (await connection.ExpectRequestAsync()).KeepsConnection);
        await connection.AnswerAsync(sending);
    }

    private static HttpRequestMessage Request(string method, string? body) =>
        new(new HttpMethod(method), "http://localhost/") { Content = body is null ? null : new StringContent(body) };
}
