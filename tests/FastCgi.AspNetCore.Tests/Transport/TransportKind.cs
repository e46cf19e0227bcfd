namespace FastCgi.AspNetCore.Tests.Transport;

/// <summary>Every test of the seam runs on all of its sides.</summary>
public enum TransportKind
{
    Sockets,
    Epoll,

    /// <summary>A transport that an application brings, here the one of Kestrel's sockets.</summary>
    Contexts,
}

/// <summary>What a test connects over.</summary>
public enum SocketKind
{
    Tcp,
    Unix,
}
