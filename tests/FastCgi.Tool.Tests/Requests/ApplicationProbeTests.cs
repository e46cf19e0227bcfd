using System.Net;
using System.Net.Sockets;
using FastCgi.Protocol;
using FastCgi.Tool.Requests;

namespace FastCgi.Tool.Tests.Requests;

public sealed class ApplicationProbeTests
{
    [Fact]
    public async Task A_peer_that_resets_the_connection_has_no_answer()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(listener.LocalEndpoint);
        using (var peer = await listener.AcceptSocketAsync())
        {
            peer.LingerState = new LingerOption(true, 0);
        }

        // The reset is here before the question is asked.
        socket.Poll(Deadline.Default, SelectMode.SelectRead);
        await using var stream = new NetworkStream(socket);

        Assert.Null(await ApplicationProbe.AskAsync(stream, Deadline.Default, CancellationToken.None));
    }

    [Fact]
    public async Task Nobody_speaks_no_HTTP()
    {
        Assert.True(FastCgiEndpoint.TryParse($"127.0.0.1:{FreePort.Take()}", out var endpoint, out _));

        Assert.False(await ApplicationProbe.SpeaksHttpAsync(endpoint, Deadline.Default, CancellationToken.None));
    }
}
