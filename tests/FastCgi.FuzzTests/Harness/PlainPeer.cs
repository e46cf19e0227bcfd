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

/// <summary>
/// A peer that leaves nothing in memory between its requests but the number of its descriptor, so that what is counted
/// is the server's.
/// </summary>
public readonly struct IdlePeer
{
    private readonly nint _descriptor;

    private IdlePeer(nint descriptor) => _descriptor = descriptor;

    public static IdlePeer Connect(EndPoint endPoint)
    {
        var socket = PlainPeer.NewSocket(endPoint);
        socket.Connect(endPoint);
        return new IdlePeer(Detach(socket));
    }

    /// <summary>Sends one request and reads until its END_REQUEST, or to the end. Returns how many came.</summary>
    public int Ask(byte[] request, byte[] buffer)
    {
        var socket = Attach();
        Assert.Equal(request.Length, socket.Send(request));
        var records = new RecordCutter();
        var ends = 0;
        while (ends == 0 && socket.Receive(buffer) is > 0 and var received)
        {
            records.Add(buffer.AsSpan(0, received));
            while (records.Take() is { } record)
            {
                ends += record.Type == WireRecord.EndRequest ? 1 : 0;
            }
        }

        Detach(socket);
        return ends;
    }

    public void Close() => Attach().Dispose();

    private static nint Detach(Socket socket)
    {
        var descriptor = socket.Handle;
        socket.SafeHandle.SetHandleAsInvalid();
        return descriptor;
    }

    private Socket Attach() => new(new SafeSocketHandle(_descriptor, ownsHandle: true))
    {
        ReceiveTimeout = (int)Deadline.Default.TotalMilliseconds,
    };
}
