using System.Net;
using System.Net.Sockets;

namespace FastCgi.FuzzTests.Harness;

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
