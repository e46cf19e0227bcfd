using System.Net;
using System.Net.Sockets;

namespace FastCgi.FuzzTests.Harness;

/// <summary>Several peers that send requests by handfuls, and leave in every bad manner there is.</summary>
public sealed class Storm(EndPoint endPoint, StormTally tally, int seed)
{
    private const int SideBySide = 8;

    private readonly bool _isUnix = endPoint is UnixDomainSocketEndPoint;

    public Task RageAsync(int requests)
    {
        var enough = tally.Sent + requests;
        return Task.WhenAll(Enumerable.Range(0, SideBySide).Select(
            lane => Task.Run(() => RageAsync(new Random((seed * 100) + lane), enough))));
    }

    private async Task RageAsync(Random random, int enough)
    {
        var buffer = new byte[16 * 1024];
        while (tally.Sent < enough)
        {
            using var peer = await PlainPeer.ConnectAsync(endPoint);
            tally.CountConnection();
            while (tally.Sent < enough && await ExchangeAsync(peer, random, buffer))
            {
            }
        }
    }

    /// <summary>A handful of requests. False: the connection is over.</summary>
    private async Task<bool> ExchangeAsync(PlainPeer peer, Random random, byte[] buffer)
    {
        var handful = new Handful(tally, random);
        switch (random.Next(20))
        {
            case 3 or 4 when !_isUnix:
                // An end of the stream is the end of the peer there, as web servers mean it.
                await EndInputAsync(peer, handful.AddAbandoned(), buffer);
                return false;
            case 0 or 1:
                // A reset on TCP; on a unix socket a close with answers unread.
                await peer.SendAsync(handful.AddAbandoned().Bytes);
                peer.Socket.LingerState = new LingerOption(true, 0);
                return false;
            case 2:
                await peer.SendAsync(handful.AddAbandoned().Bytes);
                return false;
            case 3:
                Assert.Equal(Handful.Size, await EndInputAsync(peer, handful.Add(Handful.Size), buffer));
                return false;
            case 4:
                var whole = random.Next(Handful.Size);
                Assert.Equal(whole, await EndInputAsync(peer, handful.Add(whole).AddCut(id: whole + 1), buffer));
                return false;
            default:
                // In two pieces, so that the server is busy with the first requests when the abort of another comes.
                var bytes = handful.Add(Handful.Size).Bytes;
                var piece = random.Next(bytes.Length);
                await peer.SendAsync(bytes[..piece]);
                await peer.SendAsync(bytes[piece..]);
                Assert.Equal(Handful.Size, await peer.ReadEndsAsync(Handful.Size, buffer));
                return true;
        }
    }

    /// <summary>Sends, half-closes, and reads until the server has closed. Returns how many END_REQUESTs came.</summary>
    private static async Task<int> EndInputAsync(PlainPeer peer, Handful handful, byte[] buffer)
    {
        await peer.SendAsync(handful.Bytes);
        peer.Socket.Shutdown(SocketShutdown.Send);
        return await peer.ReadEndsAsync(int.MaxValue, buffer);
    }
}
