namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>The kernel's report on one descriptor, and the token it was added with.</summary>
internal readonly record struct EpollEvent(EpollEvents Events, ulong Token);
