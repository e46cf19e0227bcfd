namespace FastCgi.FunctionalTests.Stopping;

public sealed class ShutdownTests : FunctionalTest
{
    /// <summary>What a web server asks on a connection that it has just opened, it asks nowhere else.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task The_first_request_of_a_connection_is_served_after_the_stop_began(ServerTransport transport)
    {
        var idle = await StartAndConnectAsync(transport, Write("x"));
        var opened = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => ConnectAsync()));
        await AcceptedAsync(1 + opened.Length);
        await AssertServesAsync(idle);

        var stop = Server.StopAsync();
        await idle.ExpectEndOfStreamAsync();

        foreach (var peer in opened)
        {
            await AssertServesAsync(peer);
            await peer.ExpectEndOfStreamAsync();
        }

        await stop.Within("the stop");
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_connection_that_asks_nothing_holds_the_stop_back_for_a_moment_only(ServerTransport transport)
    {
        var idle = await StartAndConnectAsync(transport, Write("x"), clock: Clock);
        var silent = await ConnectAsync();
        await AcceptedAsync(2);
        await AssertServesAsync(idle);

        var stop = Server.StopAsync();
        await idle.ExpectEndOfStreamAsync();
        Assert.False(stop.IsCompleted);
        Clock.Advance(TimeSpan.FromSeconds(2));
        Assert.False(stop.IsCompleted);

        // A thread that is just looking for a request puts it off to the next second.
        await Clock.PassUntilAsync(stop).Within("the stop");
        await silent.ExpectEndOfStreamAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_request_that_lies_unread_on_a_kept_connection_is_served_after_the_stop_began(
        ServerTransport transport)
    {
        var idle = await StartAndConnectAsync(transport, BlockAsync, options => options.ThreadCount = 1);
        var kept = await ConnectAsync();
        await AssertServesAsync(kept);
        await AssertServesAsync(idle);
        var blocking = await ConnectAsync();
        await EnterAsync(blocking, Get("/block"));
        await kept.SendRequestAsync();

        var stop = Server.StopAsync();
        await idle.ExpectEndOfStreamAsync();
        Unblock.Set();

        Assert.Equal("/", (await kept.ExpectResponseAsync()).BodyText);
        Assert.Equal("/block", (await blocking.ExpectResponseAsync()).BodyText);
        await stop.Within("the stop");
    }

    private async Task AcceptedAsync(int count)
    {
        var seen = 0;
        await Logs.WaitForAsync(
            entry => entry.EventId.Id == ConnectionStart && entry.Category == "FastCgi.AspNetCore.Connections"
                && ++seen == count,
            $"{count} accepted connections");
    }
}
