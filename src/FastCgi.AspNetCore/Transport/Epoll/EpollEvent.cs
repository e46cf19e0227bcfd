namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>What the kernel said of one descriptor, and the token it was added with.</summary>
internal readonly record struct EpollEvent(EpollEvents Events, ulong Token);
