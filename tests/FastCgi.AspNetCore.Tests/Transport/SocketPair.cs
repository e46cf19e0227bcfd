namespace FastCgi.AspNetCore.Tests.Transport;

/// <summary>
/// Two connected sockets, made over a listener that is gone when they are there. Only a test closes them: the peer is
/// not collected before what accepted it.
/// </summary>
internal static class SocketPair
{
    private static readonly ConditionalWeakTable<object, Socket> s_peers = [];

    public static (Socket Peer, Socket Accepted) Connect(SocketKind kind) =>
        Connect(kind, static listener => listener.Accept());

    /// <summary>The second end by the means of the caller.</summary>
    public static (Socket Peer, T Accepted) Connect<T>(SocketKind kind, Func<Socket, T> accept)
        where T : class
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
        var accepted = accept(listener);
        s_peers.Add(accepted, peer);
        return (peer, accepted);
    }

    /// <summary>Closes so that the other end is reset, not ended.</summary>
    public static void CloseByReset(this Socket socket)
    {
        socket.LingerState = new LingerOption(enable: true, seconds: 0);
        socket.Dispose();
    }
}
