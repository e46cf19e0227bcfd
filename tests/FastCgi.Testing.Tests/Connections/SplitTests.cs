using System.Net.Sockets;
using FastCgi.Testing.Connections;

namespace FastCgi.Testing.Tests.Connections;

/// <summary>Records cut at every byte, by the size of a write.</summary>
public sealed class SplitTests(FastCgiApplicationFactory<Program> factory)
    : IClassFixture<FastCgiApplicationFactory<Program>>
{
    [Theory, InlineData(1), InlineData(7)]
    public async Task A_request_of_a_connection_or_a_client_that_leaves_in_pieces_is_understood(int writeSize)
    {
        var options = new FastCgiTestClientOptions { WriteSize = writeSize };
        using var connection = await factory.ConnectFastCgiAsync(options);
        using var client = factory.CreateFastCgiClient(options);
        using var content = new StringContent("in pieces");

        var answer = await connection.SendAsync(
            new FastCgiTestRequest("POST", "/echo") { Body = "in pieces"u8.ToArray() });
        using var response = await client.PostAsync("/echo", content).Within("the response");

        Assert.Equal("in pieces", answer.Text);
        Assert.Equal("in pieces", await response.Content.ReadAsStringAsync().Within("its body"));
    }

    [Fact]
    public async Task On_a_unix_socket_a_piece_waits_until_the_one_before_is_received()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The system does not tell what has been received.");
        using var directory = new TemporaryDirectory();
        var endPoint = new UnixDomainSocketEndPoint(Path.Combine(directory.Path, "s"));
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(endPoint);
        listener.Listen();
        var sender = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await sender.ConnectAsync(endPoint).Within("a connection");
        using var receiver = await listener.AcceptAsync().Within("the other end");
        await using var stream = SplitStream.Over(new SocketEnd(sender), 2);
        var piece = new byte[2];

        var sending = stream.WriteAsync("abcdef"u8.ToArray()).AsTask();

        // A receive with more room could take the next piece too, at the moment in which it takes the last of one.
        for (var i = 0; i < 3; i++)
        {
            await Eventually.HoldsAsync(() => receiver.Available > 0, static () => "nothing comes");
            Assert.Equal(piece.Length, receiver.Available);
            Assert.Equal(piece.Length, await receiver.ReceiveAsync(piece).Within("a piece"));
        }

        await sending.Within("the end of the send");
    }

    private sealed class TemporaryDirectory : IDisposable
    {
        public string Path { get; } = Directory.CreateTempSubdirectory("fcgi-").FullName;

        public void Dispose() => Directory.Delete(Path, recursive: true);
    }
}
