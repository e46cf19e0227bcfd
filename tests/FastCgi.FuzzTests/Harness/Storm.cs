using System.Net;
using System.Net.Sockets;

namespace FastCgi.FuzzTests.Harness;

/// <summary>Several peers that send requests by handfuls, and leave in every bad manner there is.</summary>
public sealed class Storm(EndPoint endPoint, int seed)
{
    private const int SideBySide = 8;
    private const int Handful = 8;

    private int _requests;
    private int _connections;

    public int Requests => _requests;

    public int Connections => _connections;

    public Task RageAsync(int requests) => Task.WhenAll(Enumerable.Range(0, SideBySide).Select(
        lane => Task.Run(() => RageAsync(new Random((seed * 100) + lane), requests))));

    private async Task RageAsync(Random random, int requests)
    {
        var buffer = new byte[16 * 1024];
        while (Volatile.Read(ref _requests) < requests)
        {
            Interlocked.Increment(ref _connections);
            using var peer = await PlainPeer.ConnectAsync(endPoint);
            while (Volatile.Read(ref _requests) < requests && await ExchangeAsync(peer, random, buffer))
            {
            }
        }
    }

    /// <summary>A handful of requests. False: the connection is over.</summary>
    private async Task<bool> ExchangeAsync(PlainPeer peer, Random random, byte[] buffer)
    {
        var records = new RecordBuilder();
        for (var id = 1; id <= Handful; id++)
        {
            var script = new RequestScript { Id = id, Method = "POST", Body = new byte[random.Next(2000)] };
            if (random.Next(10) == 0)
            {
                records.Begin(id).Params(id, script.ToParams()).EndParams(id).Stdin(id, script.Body).Abort(id);
            }
            else
            {
                records.Request(script);
            }
        }

        Interlocked.Add(ref _requests, Handful);
        var bytes = records.ToArray();
        var fate = random.Next(20);
        await peer.SendAsync(fate < 3 ? bytes.AsMemory(0, random.Next(bytes.Length)) : bytes);
        switch (fate)
        {
            case 0 or 3:
                // A reset on TCP; on a unix socket a close with answers unread.
                peer.Socket.LingerState = new LingerOption(true, 0);
                return false;
            case 1 or 4:
                peer.Socket.Shutdown(SocketShutdown.Send);
                return await peer.ReadEndsAsync(int.MaxValue, buffer);
            case 2:
                return false;
            default:
                Assert.True(await peer.ReadEndsAsync(Handful, buffer), "The server closed a good connection.");
                return true;
        }
    }
}
