using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport;

/// <summary>Where readiness comes from, one for a started server: the seam between Epoll and Sockets.</summary>
internal abstract class SocketTransport : IDisposable
{
    /// <summary>
    /// Connections of a listening socket, each handed over without having begun: it reports nothing before its Start.
    /// What the callback does not start or close is closed when it throws, and stays its own otherwise.
    /// </summary>
    public abstract AcceptLoop NewAcceptLoop(
        Socket listening, AcceptFailures failures, Action<TransportConnection> onAccepted);

    /// <summary>Threads of the transport's own; 0 where it has none.</summary>
    public virtual int WorkerCount => 0;

    /// <summary>Ends the threads of the transport. Every connection is closed before.</summary>
    public abstract void Dispose();
}
