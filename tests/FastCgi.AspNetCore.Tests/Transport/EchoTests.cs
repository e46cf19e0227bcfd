namespace FastCgi.AspNetCore.Tests.Transport;

public class EchoTests
{
    public static MatrixTheoryData<TransportKind, SocketKind, int> Sizes => new(
        Transports.All, Enum.GetValues<SocketKind>(), [1, 2, 100, 16_383, 16_384, 16_385, 65_536, 5_000_000]);

    [Theory, MemberData(nameof(Sizes))]
    public async Task What_a_peer_sends_comes_back_whole_at_every_size(TransportKind kind, SocketKind socket, int size)
    {
        await using var harness = new TransportHarness(kind);
        var (_, peer) = harness.Start(socket, connection => new EchoHandler(connection));
        var sent = Pattern(size);

        var sending = SendAllAsync(peer, sent);
        var echoed = await ReceiveExactlyAsync(peer, size).Within("the echo");
        await sending.Within("the end of the sending");

        Assert.Equal(sent, echoed);
    }

    [Theory, ClassData(typeof(TransportsAndSockets))]
    public async Task Nothing_is_lost_when_many_peers_send_at_once_in_small_pieces(
        TransportKind kind, SocketKind socket)
    {
        await using var harness = new TransportHarness(kind);
        var runs = Enumerable.Range(0, 16).Select(async index =>
        {
            var (handler, peer) = harness.Start(socket, connection => new EchoHandler(connection));
            var random = new Random(index);
            var sent = Pattern(20_000);
            var sending = Task.Run(async () =>
            {
                for (var position = 0; position < sent.Length;)
                {
                    var count = Math.Min(random.Next(1, 60), sent.Length - position);
                    position += await peer.SendAsync(sent.AsMemory(position, count));
                }
            });
            var echoed = await ReceiveExactlyAsync(peer, sent.Length).Within("the echo");
            await sending.Within("the end of the sending");

            Assert.Equal(sent, echoed);
            Assert.Equal(sent, handler.Received);
            Assert.False(handler.RoleWasShared);
        }).ToList();

        await Task.WhenAll(runs);
    }

    internal static byte[] Pattern(int size)
    {
        var bytes = new byte[size];
        new Random(size).NextBytes(bytes);
        return bytes;
    }

    internal static async Task<byte[]> ReceiveExactlyAsync(Socket peer, int size)
    {
        var received = new byte[size];
        for (var position = 0; position < size;)
        {
            var count = await peer.ReceiveAsync(received.AsMemory(position));
            Assert.True(count > 0, $"The stream ended after {position} of {size} bytes.");
            position += count;
        }

        return received;
    }

    private static async Task SendAllAsync(Socket peer, byte[] data)
    {
        for (var position = 0; position < data.Length;)
        {
            position += await peer.SendAsync(data.AsMemory(position));
        }
    }
}
