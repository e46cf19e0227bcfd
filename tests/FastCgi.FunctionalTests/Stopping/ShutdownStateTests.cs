using Microsoft.AspNetCore.Connections.Features;

namespace FastCgi.FunctionalTests.Stopping;

/// <summary>
/// Row E6 of the hard inputs: a stop finds requests in every state. First they may end, and then, when the time is over,
/// they are aborted and named in the log.
/// </summary>
public sealed class ShutdownStateTests : FunctionalTest
{
    /// <summary>Two records of forty bytes.</summary>
    private const int HalfOfParams = 2 * (8 + 40);

    private readonly SyncPoint _stopping = "the connection to take no more requests";
    private readonly SyncPoint _reads = "a handler that waits for its body";
    private readonly SyncPoint _startedAborted = "RequestAborted of the response that had begun";

    [Theory, ClassData(typeof(Transports))]
    [HardInput("E6")]
    public async Task An_idle_connection_is_closed(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, ServeAsync);
        await AssertServesAsync(peer);

        await Server.StopAsync().Within("the stop");

        await peer.ExpectEndOfStreamAsync();
        Assert.DoesNotContain(Logs.Entries, entry => entry.Level >= LogLevel.Warning);
    }

    [Fact]
    [HardInput("E6")]
    public async Task Half_sent_params_may_end()
    {
        var peer = await StartAndConnectAsync(ServeAsync);
        var request = new RecordBuilder().Params(1, Get("/quick").ToParams(), recordSize: 40).EndParams().EndStdin().ToArray();
        await peer.SendAsync(new RecordBuilder().Begin().Raw(request.AsSpan(0, HalfOfParams)));
        await peer.SynchronizeAsync();

        var stop = Server.StopAsync();
        await peer.SendAsync(request.AsMemory(HalfOfParams));

        Assert.Equal("/quick", (await peer.ExpectResponseAsync()).BodyText);
        await AssertStoppedAsync(peer, stop);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("E6")]
    public async Task A_half_sent_body_may_end(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(transport, ServeAsync, BeginPost(6).Stdin(1, "abc"u8));

        var stop = Server.StopAsync();
        await _stopping.WaitAsync();
        Assert.Equal("abcdef", (await peer.RoundTripAsync(EndBody("def"u8))).BodyText);
        await AssertStoppedAsync(peer, stop);
    }

    [Theory, ClassData(typeof(AnyTransports))]
    [HardInput("E6")]
    public async Task A_running_handler_may_end_and_nothing_begins_behind_it(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(transport, ServeAsync, Get("/wait"));

        var stop = Server.StopAsync();
        await _stopping.WaitAsync();
        await Assert.ThrowsAnyAsync<SocketException>(RefusedAsync);
        Assert.Equal(503, (await peer.RoundTripAsync(Get("/late") with { Id = 2 })).StatusCode);
        Assert.False(stop.IsCompleted);
        GoOn.Reach();

        Assert.Equal("/wait", (await peer.ExpectResponseAsync()).BodyText);
        await AssertStoppedAsync(peer, stop);
    }

    [Fact]
    [HardInput("E6")]
    public async Task A_response_that_has_begun_may_end()
    {
        var peer = await StartAndConnectAsync(ServeAsync);
        await peer.SendRequestAsync(target: "/started");
        Assert.Equal(200, (await peer.ExpectResponseStartAsync()).StatusCode);

        var stop = Server.StopAsync();
        await _stopping.WaitAsync();
        GoOn.Reach();

        var rest = await peer.ExpectResponseAsync();
        Assert.EndsWith("second", Encoding.UTF8.GetString(rest.Stdout), StringComparison.Ordinal);
        await AssertStoppedAsync(peer, stop);
    }

    [Fact]
    [HardInput("E6")]
    public async Task The_body_behind_an_early_answer_may_end()
    {
        var peer = await StartAndConnectAsync(ServeAsync, clock: Clock);
        await peer.SendAsync(BeginPost(6, "/early").Stdin(1, "abc"u8));
        Assert.Equal("/early", (await peer.ExpectResponseStartAsync()).BodyText);

        var stop = Server.StopAsync();
        Assert.Equal(0, (await peer.RoundTripAsync(EndBody("def"u8))).ProtocolStatus);
        await AssertStoppedAsync(peer, stop);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("E6")]
    public async Task What_has_not_ended_in_time_is_aborted_and_named(ServerTransport transport)
    {
        var before = new RecordBuilder().Begin(1).Params(1, Get("/half?secret=1").ToParams(), recordSize: 40);
        await StartAsync(transport, ServeAsync, clock: Clock);
        var half = await ConnectAsync();
        await half.SendAsync(before);
        await half.SynchronizeAsync();
        var early = await ConnectAsync();
        await early.SendAsync(BeginPost(6, "/early").Stdin(1, "abc"u8));
        await early.ExpectResponseStartAsync();
        var running = await ConnectAsync();
        await running.SendRequestAsync(target: "/started?secret=1", id: 5);
        await running.ExpectResponseStartAsync(5);
        await EnterAsync(running, Get("/wait%0A?secret=1") with { Method = "DELETE", Id = 6 });
        var upload = await ConnectAsync();
        await upload.SendAsync(BeginPost(6).Stdin(1, "abc"u8));
        await _reads.WaitAsync();

        // One connection is aborted after the other, and no handler may go on before its own is.
        var stop = Server.StopAsync(new CancellationToken(canceled: true));
        await _startedAborted.WaitAsync();
        GoOn.Reach();
        await stop.Within("the stop");

        // No web server may take what had begun for a whole response. The other handler may have begun one meanwhile.
        var records = await running.ExpectClosedAsync();
        Assert.True(records[^1].IsTear);
        Assert.DoesNotContain(records, static record => record.Type == WireRecord.EndRequest);
        foreach (var peer in (ScriptedPeer[])[half, early, upload])
        {
            await peer.ExpectClosedAsync();
        }

        var summary = await Logs.WaitForAsync(NotAllConnectionsClosedGracefully);
        Assert.Equal(
            "5 request(s) on 4 connection(s) had not ended when the time for the stop was over; they are aborted.",
            summary.Message);
        var named = Logs.Entries.Where(entry => entry.EventId.Id == AbortedByStop).Select(entry => entry.Message).ToList();
        Assert.Equal(5, named.Count);
        AssertNamed("id 1: a request is aborted by the stop of the server, 0.0 s after it began: its params are");
        AssertNamed("id 1: POST /early is aborted by the stop of the server, 0.0 s after it began: the rest of its body");
        AssertNamed("id 5: GET /started is aborted by the stop of the server, 0.0 s after it began: its response has begun");
        AssertNamed("id 6: DELETE /wait%0A is aborted by the stop of the server, 0.0 s after it began: its response has not");
        AssertNamed("id 1: POST / is aborted by the stop of the server, 0.0 s after it began: it waits for more of its body");
        Assert.All(Logs.Entries, entry => Assert.True(
            entry.EventId.Id != AbortedByStop || !entry.Message.Contains("secret", StringComparison.Ordinal)));

        void AssertNamed(string text) =>
            Assert.Single(named, message => message.Contains(text, StringComparison.Ordinal));
    }

    [Fact]
    [HardInput("E6")]
    public async Task Of_many_aborted_requests_only_some_are_named()
    {
        const int Many = 30;
        var peer = await StartAndConnectAsync(ServeAsync);
        for (var id = 1; id <= Many; id++)
        {
            await peer.SendAsync(new RecordBuilder().Begin(id));
        }

        await peer.SynchronizeAsync();
        await Server.StopAsync(new CancellationToken(canceled: true)).Within("the stop");

        Assert.Equal(10, Logs.Entries.Count(entry => entry.EventId.Id == AbortedByStop));
        Assert.StartsWith(
            $"{Many} request(s) on 1 connection(s)",
            (await Logs.WaitForAsync(NotAllConnectionsClosedGracefully)).Message,
            StringComparison.Ordinal);
    }

    private async Task AssertStoppedAsync(ScriptedPeer peer, Task stop)
    {
        await stop.Within("the stop");
        await peer.ExpectEndOfStreamAsync();
        Assert.False(Aborted.IsReached);
        Assert.DoesNotContain(Logs.Entries, entry => entry.EventId.Id is AbortedByStop or NotAllConnectionsClosedGracefully);
    }

    private async Task ServeAsync(HttpContext context)
    {
        var path = context.Request.Path.Value!;
        var lifetime = context.Features.Get<IConnectionLifetimeNotificationFeature>()!;
        using var stopping = lifetime.ConnectionClosedRequested.Register(_stopping.Reach);
        // Never taken back: a read may fail before the callbacks of the cancellation have run.
        context.RequestAborted.Register(Aborted.Reach);

        // From here on the handler blocks no thread of the server.
        await Task.Yield();
        if (path == "/started")
        {
            context.RequestAborted.Register(_startedAborted.Reach);
            await context.Response.WriteAsync("first");
            await GoOn.WaitAsync();
            await context.Response.WriteAsync("second");
        }
        else if (context.Request.Method == "POST" && path == "/")
        {
            Entered.Reach();
            var echo = EchoAsync(context);
            _reads.Reach();
            await echo;
        }
        else
        {
            if (path.StartsWith("/wait", StringComparison.Ordinal))
            {
                Entered.Reach();
                await GoOn.WaitAsync();
            }

            await context.Response.WriteAsync(path);
        }
    }
}
