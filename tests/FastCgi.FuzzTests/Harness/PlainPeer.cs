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

    /// <summary>Reads until so many END_REQUESTs have come, or the connection has ended. Returns how many did.</summary>
    public async Task<int> ReadEndsAsync(int most, byte[] buffer)
    {
        var records = new RecordCutter();
        var ends = 0;
        while (ends < most && await ReceiveAsync(buffer, ends) is > 0 and var received)
        {
            records.Add(buffer.AsSpan(0, received));
            while (records.Take() is { } record)
            {
                ends += record.Type == WireRecord.EndRequest ? 1 : 0;
            }
        }

        return ends;
    }

    public void Dispose() => Socket.Dispose();

    private async Task<int> ReceiveAsync(byte[] buffer, int ends)
    {
        try
        {
            return await Socket.ReceiveAsync(buffer).Within($"END_REQUEST, after {ends} of them");
        }
        catch (SocketException)
        {
            return 0;
        }
    }
}
