namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>The event bits of epoll(7), by what they say about a socket.</summary>
[Flags]
internal enum EpollEvents : uint
{
    /// <summary>EPOLLIN: bytes, or an end of stream.</summary>
    Readable = 0x1,

    /// <summary>EPOLLOUT: room in the send buffer.</summary>
    Writable = 0x4,

    /// <summary>EPOLLERR: the connection was reset. Always reported.</summary>
    Error = 0x8,

    /// <summary>EPOLLHUP: both directions have ended. Always reported.</summary>
    HangUp = 0x10,

    /// <summary>EPOLLRDHUP: the peer ended its direction.</summary>
    EndOfInput = 0x2000,

    /// <summary>EPOLLET: an event for each change, not for as long as the state lasts.</summary>
    EdgeTriggered = 0x80000000,
}

/// <summary>The kernel's report on one descriptor, and the token it was added with.</summary>
internal readonly record struct EpollEvent(EpollEvents Events, ulong Token);
