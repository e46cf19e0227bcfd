using System.Net.Sockets;
using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.FunctionalTests;

public sealed class ShutdownTests : FunctionalTest
{
    private readonly SyncPoint _entered = "the handler";
    private readonly SyncPoint _goOn = "the test to let the handler go on";
    private readonly SyncPoint _aborted = "RequestAborted";

    [Theory, ClassData(typeof(Transports))]
    public async Task Idle_connections_are_closed_at_once(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, Write("x"));
        await AssertServesAsync(peer);

        await Server.StopAsync().Within("the stop");

        await peer.ExpectEndOfStreamAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_running_request_ends_and_then_its_kept_connection_is_closed(ServerTransport transport)
    {
        var peer = await StartWaitingAsync(transport);

        var stop = Server.StopAsync();
        await Assert.ThrowsAnyAsync<SocketException>(RefusedAsync);
        Assert.False(stop.IsCompleted);
        _goOn.Reach();

        Assert.Equal("whole", (await peer.ExpectResponseAsync()).BodyText);
        await peer.ExpectEndOfStreamAsync();
        await stop.Within("the stop");
        Assert.False(_aborted.IsReached);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_request_that_does_not_end_is_aborted_when_the_time_is_over(ServerTransport transport)
    {
        const int NotAllConnectionsClosedGracefully = 16;
        using var patience = new CancellationTokenSource();
        var peer = await StartWaitingAsync(transport);
        var stop = Server.StopAsync(patience.Token);

        await patience.CancelAsync();
        await _aborted.WaitAsync();
        _goOn.Reach();

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
                options.Listen(System.Net.IPEndPoint.Parse(address));
            }
        }

        var exception = await Assert.ThrowsAnyAsync<IOException>(
            () => FunctionalServer.StartAsync(transport, Write("x"), ListenOnTheSame));

        Assert.Contains(address.Replace("unix:", "", StringComparison.Ordinal), exception.Message, StringComparison.Ordinal);
        Assert.IsNotType<ConnectionResetException>(exception);
        await AssertServesAnotherConnectionAsync();
    }

    private async Task RefusedAsync()
    {
        // The listener is closed a moment after the stop began.
        while (true)
        {
            await using var peer = await Server.ConnectAsync();
            await peer.ExpectClosedAsync();
        }
    }

    private async Task<ScriptedPeer> StartWaitingAsync(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            using var registration = context.RequestAborted.Register(_aborted.Reach);
            _entered.Reach();
            await _goOn.WaitAsync();
            await context.Response.WriteAsync("whole");
        });
        await peer.SendRequestAsync();
        await _entered.WaitAsync();
        return peer;
    }
}
