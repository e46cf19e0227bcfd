using Microsoft.AspNetCore.Connections.Features;

namespace FastCgi.FunctionalTests.Stopping;

/// <summary>
/// nginx sends requests of all its clients on the connections it has kept, and repeats no POST that met a close: so a
/// stop ends such a connection only by a response that nginx takes for the last one on it, or has nginx close it.
/// </summary>
public sealed class StopBehindNginxTests : FunctionalTest
{
    private const int ManyServed = 200;

    private readonly SyncPoint _manyServed = "many requests to be served";
    private readonly SyncPoint _stopping = "the connection to take no more requests";
    private int _served;

    [Theory, ClassData(typeof(Transports))]
    public async Task The_last_response_on_a_kept_connection_has_something_behind_END_REQUEST(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(transport, AnswerLaterAsync, FromNginx("/later"));

        var stop = Server.StopAsync();
        await _stopping.WaitAsync();
        GoOn.Reach();

        Assert.Equal("whole", (await peer.ExpectResponseAsync()).BodyText);
        var behind = Assert.Single(await peer.ExpectClosedAsync());
        Assert.Equal((WireRecord.Stdout, 1, 0), (behind.Type, behind.RequestId, behind.Content.Length));
        await stop.Within("the stop");
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task On_a_connection_without_a_request_nginx_is_asked_to_close_it(ServerTransport transport)
    {
        var (peer, stop) = await StopIdleAsync(transport);
        Assert.False(stop.IsCompleted);

        // nginx closes without reading it, so what the server gets is a reset.
        peer.Reset();
        await stop.Within("the stop");
    }

    /// <summary>The clock stands still: nothing but the answer ends the connection.</summary>
    [Fact]
    public async Task A_request_that_nginx_has_sent_by_then_is_answered_and_is_the_last()
    {
        var (peer, stop) = await StopIdleAsync(Transports.Usual);

        Assert.Equal("whole", (await peer.RoundTripAsync(FromNginx("/"))).BodyText);
        var behind = Assert.Single(await peer.ExpectClosedAsync());
        Assert.Equal((WireRecord.Stdout, 1, 0), (behind.Type, behind.RequestId, behind.Content.Length));
        await stop.Within("the stop");
    }

    [Fact]
    public async Task An_nginx_that_does_not_close_holds_the_stop_back_for_seconds_only()
    {
        var (peer, stop) = await StopIdleAsync(Transports.Usual);
        Assert.False(stop.IsCompleted);

        await Clock.PassUntilAsync(stop).Within("the stop");
        Assert.Empty(await peer.ExpectClosedAsync());
    }

    /// <summary>As in a stop: it may have sent a request on the connection that is about to be closed.</summary>
    [Fact]
    public async Task Nginx_is_asked_too_when_KeepAliveTimeout_is_over()
    {
        var peer = await StartAndConnectAsync(
            AnswerLaterAsync, options => options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(5), Clock);
        Assert.Equal("whole", (await peer.RoundTripAsync(FromNginx("/"))).BodyText);

        for (var second = 0; second < 7; second++)
        {
            Clock.Advance(TimeSpan.FromSeconds(1));
        }

        AssertAsksToClose(await peer.ExpectRecordAsync());

        // It was using the connection: this one is not the last, and the next question comes in its time.
        Assert.Equal("whole", (await peer.RoundTripAsync(FromNginx("/"))).BodyText);
        Assert.Empty(await peer.SynchronizeAsync());
        var closed = peer.ExpectClosedAsync();
        await Clock.PassUntilAsync(closed).Within("the close");
        AssertAsksToClose(Assert.Single(await closed));
    }

    /// <summary>What waits in the backlog would be reset with the listening socket.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task Who_has_connected_is_served_though_nobody_had_accepted_it(ServerTransport transport)
    {
        const int Waiting = 8;
        var blocking = await StartAndConnectAsync(transport, BlockAsync, options => options.ThreadCount = 1);
        await EnterAsync(blocking, Get("/block") with { KeepConnection = false });

        // The only thread of the epoll transport is held: these are accepted by the stop or by nobody.
        var waiting = await Task.WhenAll(Enumerable.Range(0, Waiting).Select(_ => ConnectAsync()));
        var stop = Server.StopAsync();
        await Assert.ThrowsAnyAsync<SocketException>(RefusedAsync);
        Unblock.Set();

        foreach (var peer in waiting)
        {
            Assert.Equal("/", (await peer.RoundTripAsync(Get() with { KeepConnection = false })).BodyText);
        }

        Assert.Equal("/block", (await blocking.ExpectResponseAsync()).BodyText);
        await stop.Within("the stop");
    }

    /// <summary>Between the last one that was accepted and the close of the listening socket nobody gets lost.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task Whoever_connects_during_the_stop_is_served_or_refused(ServerTransport transport)
    {
        const int Clients = 8;
        await StartAsync(transport, Write("whole"));
        var clients = Enumerable.Range(0, Clients).Select(_ => Task.Run(AskUntilRefusedAsync)).ToArray();
        await _manyServed.WaitAsync();

        await Server.StopAsync().Within("the stop");

        // A reset instead of an answer would be an exception of its client.
        await Task.WhenAll(clients).Within("the refusals");
    }

    /// <summary>A connection that nginx keeps without a request is asked to be closed by the stop.</summary>
    private async Task<(ScriptedPeer Peer, Task Stop)> StopIdleAsync(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, AnswerLaterAsync, clock: Clock);
        Assert.Equal("whole", (await peer.RoundTripAsync(FromNginx("/"))).BodyText);

        var stop = Server.StopAsync();
        AssertAsksToClose(await peer.ExpectRecordAsync());
        return (peer, stop);
    }

    private async Task AskUntilRefusedAsync()
    {
        while (true)
        {
            ScriptedPeer peer;
            try
            {
                peer = await Server.ConnectAsync();
            }
            catch (SocketException)
            {
                return;
            }

            await using (peer)
            {
                Assert.Equal("whole", (await peer.RoundTripAsync(Get() with { KeepConnection = false })).BodyText);
            }

            if (Interlocked.Increment(ref _served) == ManyServed)
            {
                _manyServed.Reach();
            }
        }
    }

    /// <summary>An empty STDERR, which nginx skips in front of a response.</summary>
    private static void AssertAsksToClose(WireRecord record) => Assert.Equal(
        (WireRecord.Stderr, 1, 0), (record.Type, record.RequestId, record.Content.Length));

    private static RequestScript FromNginx(string target) =>
        Get(target) with { ExtraParams = [("SERVER_SOFTWARE", "nginx/1.22.1")] };

    private async Task AnswerLaterAsync(HttpContext context)
    {
        context.Features.Get<IConnectionLifetimeNotificationFeature>()!.ConnectionClosedRequested.Register(_stopping.Reach);
        if (context.Request.Path == "/later")
        {
            Entered.Reach();
            await GoOn.WaitAsync();
        }

        await context.Response.WriteAsync("whole");
    }
}
