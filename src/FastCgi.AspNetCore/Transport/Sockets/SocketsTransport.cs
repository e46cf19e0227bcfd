namespace FastCgi.AspNetCore.Transport.Sockets;

/// <summary>
/// Readiness from <see cref="Socket"/> itself, on the thread pool: works wherever .NET does, and costs a hand-over to
/// the pool for each request.
/// </summary>
internal sealed class SocketsTransport(ILogger logger) : ITransport
{
    /// <summary>None: the threads belong to the thread pool.</summary>
    public int WorkerCount => 0;

    public AcceptLoop NewAcceptLoop(
        Socket listening, AcceptFailures failures, Action<TransportConnection> onAccepted) =>
        new SocketsAcceptLoop(listening, failures, onAccepted, logger);

    public void Dispose()
    {
    }
}
