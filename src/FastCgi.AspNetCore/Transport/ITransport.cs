namespace FastCgi.AspNetCore.Transport;

/// <summary>Where readiness comes from, one for a started server: the seam between Epoll and Sockets.</summary>
internal interface ITransport : IDisposable
{
    /// <summary>Threads of the transport's own; 0 if it has none.</summary>
    int WorkerCount { get; }

    /// <summary>
    /// Accepts the connections of a listening socket. Each is handed to <paramref name="onAccepted"/> and reports
    /// nothing before its Start. The callback does not throw.
    /// </summary>
    AcceptLoop NewAcceptLoop(Socket listening, AcceptFailures failures, Action<TransportConnection> onAccepted);
}
