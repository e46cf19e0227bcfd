namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>Connections of a server without sockets: each transport does what the test says.</summary>
public sealed class PeerConnectionTests : IDisposable
{
    /// <summary>An empty STDERR, which nginx takes for the end of a connection that it does not use.</summary>
    private static readonly byte[] s_closeHint = [1, 7, 0, 1, 0, 0, 0, 0];

    private readonly ScriptedServer _server = new();

    public PeerConnectionTests() => _server.Options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(5);

    public void Dispose() => _server.Dispose();

    [Fact]
    public async Task A_connection_whose_gate_is_taken_keeps_no_other_from_its_timeout()
    {
        ScriptedTransport hanging = _server.Accept();
        ScriptedTransport idle = _server.Accept();
        var hang = new Latch();
        Task answer = hanging.HangInSend(hang);
        await Task.Run(() => _server.Pass(7)).Within("the ticks", deadline: TimeSpan.FromSeconds(3));
        await Closes(idle);
        hang.Set();
        await answer.Within("the answer");

        // No tick was missed for good: this one is idle from here on.
        _server.Pass(7);
        await Closes(hanging);
    }

    [Fact]
    public async Task Loggers_and_listeners_that_throw_stop_nothing()
    {
        using var meters = new Meters(static measured => throw new InvalidOperationException(measured));
        using var server = new ScriptedServer { Loggers = new ThrowingLoggers(), Metrics = meters.NewMetrics() };
        server.Options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(5);

        ScriptedTransport answered = server.Accept();
        answered.Bring(new RecordBuilder().Request(new RequestScript()));
        ScriptedTransport aborted = server.Accept();
        aborted.Bring(new RecordBuilder().Begin().Abort());
        ScriptedTransport wrong = server.Accept();
        wrong.Bring(new RecordBuilder().Raw("GET / HTTP/1.1\r\n\r\n"u8));
        await Closes(wrong);
        ScriptedTransport late = server.Accept();
        late.Bring(new RecordBuilder().Begin());

        server.Pass(7);
        await Closes(answered);
        await Closes(aborted);
        server.Time.Advance(server.Options.Limits.RequestHeadersTimeout);

        // Answered on the thread pool, then drained and lingered on, each for some time of this clock.
        Assert.True(SpinWait.SpinUntil(
            () =>
            {
                server.Pass(1);
                return late.Closed.IsCompleted;
            },
            Deadline.Default));
        Assert.True(SpinWait.SpinUntil(
            () => server.Connections.Count + server.Connections.Server.OpenRequests == 0, Deadline.Default));
    }

    /// <summary>A busy machine may not have read them yet.</summary>
    [Fact]
    public void An_upload_that_is_answered_is_not_given_up_while_bytes_of_it_wait_in_the_socket()
    {
        ScriptedTransport transport = _server.Accept();
        var script = new RequestScript { Method = "POST", ExtraParams = [("CONTENT_LENGTH", "1000")] };
        transport.Bring(new RecordBuilder().Begin().Params(1, script.ToParams()).EndParams().Stdin(1, new byte[10]));
        transport.Unread = true;
        _server.Time.Advance(TimeSpan.FromMilliseconds(300));
        Assert.DoesNotContain("shutdown", transport.Calls);
        transport.Unread = false;
        _server.Time.Advance(TimeSpan.FromMilliseconds(150));
        Assert.Contains("shutdown", transport.Calls);
    }

    [Fact]
    public async Task A_peer_that_left_while_nobody_read_is_noticed()
    {
        ScriptedTransport transport = _server.Accept();
        transport.WhenDry = static () => 0;
        transport.Room = 0;
        transport.Bring(new RecordBuilder().Request(new RequestScript()));
        transport.Handler!.OnReadable();
        Assert.DoesNotContain("close", transport.Calls);
        transport.PeerIsGone = true;
        _server.Time.Advance(TimeSpan.FromSeconds(1));
        await Closes(transport);
    }

    /// <summary>The transport need not have told of what it could not send.</summary>
    [Fact]
    public async Task A_flush_that_waits_ends_with_its_connection()
    {
        var flushed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _server.Application = async context =>
        {
            await context.Response.Body.WriteAsync(new byte[1 << 20]);
            await context.Response.Body.FlushAsync();
            flushed.SetResult();
        };
        ScriptedTransport transport = _server.Accept();
        transport.Room = 0;
        transport.Bring(new RecordBuilder().Request(new RequestScript()));
        Assert.False(flushed.Task.IsCompleted);

        _server.Connections.AbortAll();

        await flushed.Task.Within("the end of the flush");
    }

    /// <summary>A sign of the break could not be sent behind the rest, and an end of the stream would look whole.</summary>
    [Theory, InlineData(false), InlineData(true)]
    public async Task A_response_whose_rest_is_never_sent_ends_by_a_reset(bool isStuck)
    {
        ScriptedTransport transport = _server.Accept();
        transport.Room = 20;
        transport.Bring(new RecordBuilder().Request(new RequestScript()));

        if (isStuck)
        {
            _server.Time.Advance(_server.Options.Limits.SendTimeout + TimeSpan.FromSeconds(2));
        }
        else
        {
            _server.Connections.AbortAll();
        }

        await Closes(transport);
        Assert.Equal(["reset on close", "close"], transport.Calls.TakeLast(2));
    }

    /// <summary>The client of the web server gets an error in its place.</summary>
    [Theory]
    [InlineData(true, "at once")]
    [InlineData(false, "at once")]
    [InlineData(true, "while it waits")]
    [InlineData(false, "while it waits")]
    [InlineData(true, "by the peer's end")]
    [InlineData(false, "by the peer's end")]
    public async Task A_connection_that_loses_its_response_does_not_end_in_order(bool keepConnection, string loss)
    {
        ScriptedTransport transport = _server.Accept();
        transport.Room = 0;
        transport.IsLost = loss == "at once";
        transport.Bring(new RecordBuilder().Request(new RequestScript { KeepConnection = keepConnection }));

        if (loss == "while it waits")
        {
            transport.Handler!.OnSendCompleted(transport.CompleteLater(succeeds: false));
        }
        else if (loss == "by the peer's end")
        {
            transport.Handler!.OnPeerGone();
        }

        LogEntry stop = await _server.Logs.WaitForAsync(LogEvents.ConnectionStop);
        Assert.EndsWith("stopped: ConnectionReset.", stop.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Tokens_that_are_asked_for_behind_the_close_are_cancelled_already()
    {
        List<bool> cancelled = [];
        _server.Application = context =>
        {
            var notification = context.Features.GetRequiredFeature<IConnectionLifetimeNotificationFeature>();
            notification.RequestClose();
            cancelled.Add(notification.ConnectionClosedRequested.IsCancellationRequested);
            var lifetime = context.Features.GetRequiredFeature<IConnectionLifetimeFeature>();
            lifetime.Abort();
            cancelled.Add(lifetime.ConnectionClosed.IsCancellationRequested);
            return Task.CompletedTask;
        };
        _server.Accept().Bring(new RecordBuilder().Request(new RequestScript()));
        Assert.Equal([true, true], cancelled);
    }

    /// <summary>The socket takes the last response late; a record that comes meanwhile is answered no more.</summary>
    [Fact]
    public void Nothing_follows_the_last_response()
    {
        ScriptedTransport transport = _server.Accept();
        transport.Room = 0;
        transport.Bring(new RecordBuilder().Request(new RequestScript { KeepConnection = false }));

        transport.Bring(new RecordBuilder().GetValues("FCGI_MPXS_CONNS"));

        transport.CompleteAllLater();

        Assert.Contains("hello", transport.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("FCGI_MPXS_CONNS", transport.Text, StringComparison.Ordinal);
        Assert.Contains("close", transport.Calls);
    }

    /// <summary>
    /// The last record has padding, which the peer still sends. A close would reset the socket, and the peer would lose
    /// what it has not read of the answer.
    /// </summary>
    [Fact]
    public async Task A_peer_within_its_last_record_gets_the_end_of_the_stream_and_no_close()
    {
        ScriptedTransport transport = _server.Accept();
        var script = new RequestScript { KeepConnection = false };
        RecordBuilder request =
            new RecordBuilder().Begin(keepConnection: false).Params(1, script.ToParams()).EndParams();
        byte[] end = new RecordBuilder().Record(5, 1, [], padding: 221).ToArray();

        transport.Bring(request.Raw(end.AsSpan(0, end.Length - 1)));
        Assert.Contains("hello", transport.Text, StringComparison.Ordinal);
        Assert.Contains("shutdown", transport.Calls);
        Assert.DoesNotContain("close", transport.Calls);

        transport.Bring(new RecordBuilder().Raw(end.AsSpan(end.Length - 1)));
        transport.WhenDry = static () => 0;
        transport.Handler!.OnReadable();
        await Closes(transport);
    }

    /// <summary>Caddy meets a reset in place of the answer if the socket is closed while it sends the rest.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)] // a filter, which is no role of this server
    public async Task A_refused_request_that_has_not_come_whole_gets_the_end_of_the_stream_and_no_close(int role)
    {
        _server.Options.Limits.MaxConcurrentRequests = 1;
        _server.Application = static _ => new TaskCompletionSource().Task;
        _server.Accept().Bring(new RecordBuilder().Request(new RequestScript()));
        ScriptedTransport transport = _server.Accept();

        transport.Bring(new RecordBuilder().Begin(role: role, keepConnection: false));
        Assert.NotEmpty(transport.Sent);
        Assert.Contains("shutdown", transport.Calls);
        Assert.DoesNotContain("close", transport.Calls);

        transport.Bring(new RecordBuilder().Params(1, new RequestScript().ToParams()).EndParams().EndStdin());
        transport.WhenDry = static () => 0;
        transport.Handler!.OnReadable();
        await Closes(transport);
    }

    [Theory]
    [InlineData("by the end of its body")]
    [InlineData("by RequestTimeout")]
    public async Task Nginx_is_known_however_its_first_request_has_ended(string end)
    {
        bool isUpload = end == "by the end of its body";
        _server.Options.Limits.RequestTimeout = TimeSpan.FromSeconds(5);
        _server.Application = context =>
            isUpload ? context.Response.WriteAsync("hello") : new TaskCompletionSource().Task;
        ScriptedTransport transport = _server.Accept();
        transport.Bring(FromNginx(("CONTENT_LENGTH", isUpload ? "4" : "")));
        if (isUpload)
        {
            transport.Bring(new RecordBuilder().Stdin(1, "body"u8).EndStdin());
        }
        else
        {
            transport.Bring(new RecordBuilder().EndStdin());
            _server.Pass(7);
        }

        Assert.Contains(isUpload ? "hello" : "504", transport.Text, StringComparison.Ordinal);
        _server.Pass(7);
        Assert.Equal(s_closeHint, transport.Sent.TakeLast(s_closeHint.Length));
        Assert.DoesNotContain("close", transport.Calls);
        _server.Pass(4);
        await Closes(transport);
    }

    /// <summary>nginx never does. The params may be of another web server before it.</summary>
    [Fact]
    public async Task A_peer_that_mixes_requests_is_not_nginx()
    {
        ScriptedTransport transport = _server.Accept();
        transport.Bring(FromNginx().EndStdin());
        transport.Bring(new RecordBuilder().Request(new RequestScript { Id = 2 }));

        _server.Pass(7);
        Assert.NotEqual(s_closeHint, transport.Sent.TakeLast(s_closeHint.Length));
        await Closes(transport);
    }

    private static RecordBuilder FromNginx(params (string Name, string Value)[] extraParams)
    {
        var script = new RequestScript { ExtraParams = [("SERVER_SOFTWARE", "nginx/1.22.1"), .. extraParams] };
        return new RecordBuilder().Begin().Params(1, script.ToParams()).EndParams();
    }

    private static async Task Closes(ScriptedTransport transport) =>
        await transport.Closed.Within("the close", () => string.Join(", ", transport.Calls));
}
