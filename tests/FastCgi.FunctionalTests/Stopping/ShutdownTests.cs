using Microsoft.AspNetCore.Connections;

namespace FastCgi.FunctionalTests.Stopping;

public sealed class ShutdownTests : FunctionalTest
{
    [Theory, ClassData(typeof(Transports))]
    public async Task A_request_that_does_not_end_is_aborted_when_the_time_is_over(ServerTransport transport)
    {
        using var patience = new CancellationTokenSource();
        var peer = await StartWaitingAsync(transport);
        var stop = Server.StopAsync(patience.Token);

        await patience.CancelAsync();
        await Aborted.WaitAsync();
        GoOn.Reach();

        await stop.Within("the stop");
        Assert.Empty(await peer.ExpectClosedAsync());
        await Logs.WaitForAsync(NotAllConnectionsClosedGracefully);
    }

    [Fact]
    public async Task A_free_port_is_published()
    {
        await StartAsync(ServerTransport.SocketsOnTcp, Write("x"));

        Assert.StartsWith("fastcgi://127.0.0.1:", Server.Address, StringComparison.Ordinal);
        Assert.False(Server.Address.EndsWith(":0", StringComparison.Ordinal));
        await AssertServesAnotherConnectionAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_second_server_on_the_same_socket_is_refused_and_the_first_serves_on(ServerTransport transport)
    {
        await StartAsync(transport, Write("x"));
        var address = Server.Address["fastcgi://".Length..];

        void ListenOnTheSame(FastCgiServerOptions options)
        {
            if (address.StartsWith("unix:", StringComparison.Ordinal))
            {
                options.ListenUnixSocket(address["unix:".Length..]);
            }
            else
            {
                options.Listen(IPEndPoint.Parse(address));
            }
        }

        var exception = await Assert.ThrowsAnyAsync<IOException>(
            () => FunctionalServer.StartAsync(transport, Write("x"), ListenOnTheSame));

        Assert.Contains(address.Replace("unix:", "", StringComparison.Ordinal), exception.Message, StringComparison.Ordinal);
        Assert.IsNotType<ConnectionResetException>(exception);
        await AssertServesAnotherConnectionAsync();
    }

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

    private async Task<ScriptedPeer> StartWaitingAsync(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await WaitAsync(context);
            await context.Response.WriteAsync("whole");
        });
        await EnterAsync(peer, Get());
        return peer;
    }
}
