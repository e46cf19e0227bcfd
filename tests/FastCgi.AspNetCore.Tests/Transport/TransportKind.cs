namespace FastCgi.AspNetCore.Tests.Transport;

/// <summary>Every test of the seam runs on both of its sides.</summary>
public enum TransportKind
{
    Sockets,
    Epoll,
}

/// <summary>What a test connects over.</summary>
public enum SocketKind
{
    Tcp,
    Unix,
}
