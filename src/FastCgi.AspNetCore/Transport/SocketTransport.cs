using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport;

/// <summary>Where readiness comes from, one for a started server: the seam between Epoll and Sockets.</summary>
internal abstract class SocketTransport : IDisposable
{
    /// <summary>Takes an accepted socket over and makes it non-blocking. Reports nothing before its Start.</summary>
    public abstract TransportConnection Adopt(Socket socket);

    /// <summary>Threads of the transport's own; 0 where it has none.</summary>
    public virtual int WorkerCount => 0;

    /// <summary>Ends the threads of the transport. Every connection is closed before.</summary>
    public abstract void Dispose();
}
