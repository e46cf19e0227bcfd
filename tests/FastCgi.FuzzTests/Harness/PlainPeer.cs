using System.Net;
using System.Net.Sockets;

namespace FastCgi.FuzzTests.Harness;

/// <summary>A peer that costs next to nothing, for thousands at a time: a socket, and whoever reads brings a buffer.</summary>
public sealed class PlainPeer(Socket socket) : IDisposable
{
    public Socket Socket { get; } = socket;

    public static Socket NewSocket(EndPoint endPoint) => endPoint is UnixDomainSocketEndPoint
        ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
        : new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    public static EndPoint EndPointOf(FunctionalServer server)
    {
        const string Unix = "fastcgi://unix:";
        return server.Address.StartsWith(Unix, StringComparison.Ordinal)
            ? new UnixDomainSocketEndPoint(server.Address[Unix.Length..])
            : IPEndPoint.Parse(server.Address["fastcgi://".Length..]);
    }

    public static async Task<PlainPeer> ConnectAsync(EndPoint endPoint)
    {
        var peer = new PlainPeer(NewSocket(endPoint));
        await peer.Socket.ConnectAsync(endPoint).Within("a connection");
        return peer;
    }

    public async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[await Socket.SendAsync(bytes).AsTask().Within("room to send in")..];
        }
    }

    /// <summary>Reads until so many END_REQUESTs have come. False when the connection ended before.</summary>
    public async Task<bool> ReadEndsAsync(int count, byte[] buffer)
    {
        var records = new RecordCutter();
        while (count > 0)
        {
            var received = await Socket.ReceiveAsync(buffer).Within($"{count} more END_REQUEST");
            if (received == 0)
            {
                return false;
            }

            records.Add(buffer.AsSpan(0, received));
            while (records.Take() is { } record)
            {
                count -= record.Type == WireRecord.EndRequest ? 1 : 0;
            }
        }

        return true;
    }

    public void Dispose() => Socket.Dispose();
}
