namespace FastCgi.AspNetCore;

/// <summary>The source of a socket's readiness.</summary>
public enum FastCgiTransport
{
    /// <summary><see cref="Epoll"/> on Linux, <see cref="Sockets"/> everywhere else.</summary>
    Default,

    /// <summary>
    /// Linux only: threads of the server wait on one epoll set, and the thread that receives a request runs the
    /// application. Two to three times as fast for small requests as <see cref="Sockets"/>.
    /// </summary>
    Epoll,

    /// <summary>System.Net.Sockets and the .NET thread pool. Runs everywhere.</summary>
    Sockets,
}
