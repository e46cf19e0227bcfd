using System.Net;
using System.Net.Sockets;

namespace FastCgi.AspNetCore.Tests.Transport;

/// <summary>Two connected sockets, made over a listener that is gone when they are there.</summary>
internal static class SocketPair
{
    public static (Socket Peer, Socket Accepted) Connect(SocketKind kind) =>
        Connect(kind, static listener => listener.Accept());

    /// <summary>The second end by the means of the caller.</summary>
    public static (Socket Peer, T Accepted) Connect<T>(SocketKind kind, Func<Socket, T> accept)
    {
        EndPoint endPoint = kind == SocketKind.Tcp
            ? new IPEndPoint(IPAddress.Loopback, 0)
            : new UnixDomainSocketEndPoint("\0fastcgi-test-" + Guid.NewGuid());
        var protocol = kind == SocketKind.Tcp ? ProtocolType.Tcp : ProtocolType.Unspecified;
        using var listener = new Socket(endPoint.AddressFamily, SocketType.Stream, protocol);
        listener.Bind(endPoint);
        listener.Listen();
        var peer = new Socket(endPoint.AddressFamily, SocketType.Stream, protocol);
        peer.Connect(listener.LocalEndPoint!);
        return (peer, accept(listener));
    }

    /// <summary>Closes so that the other end is reset, not ended.</summary>
    public static void CloseByReset(this Socket socket)
    {
        socket.LingerState = new LingerOption(enable: true, seconds: 0);
        socket.Dispose();
    }
}
