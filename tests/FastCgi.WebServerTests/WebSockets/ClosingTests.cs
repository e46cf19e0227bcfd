using Microsoft.Extensions.Hosting;

namespace FastCgi.WebServerTests.WebSockets;

/// <summary>How a WebSocket ends.</summary>
public sealed class ClosingTests
{
    [Fact]
    public async Task The_clients_close_arrives_with_its_code_and_is_answered()
    {
        var closed = new TaskCompletionSource<string>();
        await using var site = await SocketSite.StartAsync(async (context, socket) =>
        {
            await SocketSite.EchoAsync(context, socket);
            closed.SetResult($"{socket.CloseStatus} {socket.CloseStatusDescription} {socket.State}");
        });
        await using var client = await SocketClient.ConnectAsync(site.WebServer, "/ws");

        await client.CloseAsync((WebSocketCloseStatus)4001, "tired");

        Assert.Equal("4001 tired Closed", await closed.Task.Within("the application's end"));
        Assert.Equal(WebSocketState.Closed, client.Socket.State);
        Assert.Equal(((WebSocketCloseStatus?)4001, "tired"), (client.Socket.CloseStatus, client.Socket.CloseStatusDescription));
    }

    [Fact]
    public async Task A_client_that_leaves_without_a_word_ends_the_read_and_fires_RequestAborted()
    {
        var aborted = new TaskCompletionSource();
        var read = new TaskCompletionSource<string>();
        await using var site = await SocketSite.StartAsync(async (context, socket) =>
        {
            using var registration = context.RequestAborted.Register(aborted.SetResult);
            var buffer = new ArraySegment<byte>(new byte[100]);
            var first = await socket.ReceiveAsync(buffer, CancellationToken.None);
            var failure = await Assert.ThrowsAsync<WebSocketException>(
                () => socket.ReceiveAsync(buffer, CancellationToken.None));
            read.SetResult($"{first.Count} {failure.WebSocketErrorCode}");
            await aborted.Task;
        });
        await using (var client = await SocketClient.ConnectAsync(site.WebServer, "/ws"))
        {
            await client.SendTextAsync("last");
            client.Socket.Abort();
        }

        Assert.Equal("4 ConnectionClosedPrematurely", await read.Task.Within("the application's read"));
        await aborted.Task.Within("RequestAborted");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_server_that_leaves_without_a_word_is_seen_by_the_client(bool byAbort)
    {
        await using var site = await SocketSite.StartAsync((context, _) =>
        {
            if (byAbort)
            {
                context.Abort();
            }

            return Task.CompletedTask;
        });
        await using var client = await SocketClient.ConnectAsync(site.WebServer, "/ws");

        await client.ExpectLostAsync();
    }

    [Fact]
    public async Task A_stop_of_the_server_waits_for_sockets_that_close_when_asked()
    {
        await using var site = await SocketSite.StartAsync(async (context, socket) =>
        {
            var stopping = context.RequestServices.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping;
            var asked = new TaskCompletionSource();
            using var registration = stopping.Register(asked.SetResult);
            await asked.Task;
            await socket.CloseAsync(WebSocketCloseStatus.EndpointUnavailable, "restart", CancellationToken.None);
        });
        await using var client = await SocketClient.ConnectAsync(site.WebServer, "/ws");

        var stop = site.StopAsync();
        Assert.Equal((WebSocketCloseStatus.EndpointUnavailable, "restart"), await client.ReceiveCloseAsync());
        await client.CloseAsync();
        await stop.Within("the stop");
    }
}
