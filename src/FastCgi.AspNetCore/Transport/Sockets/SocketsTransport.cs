using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport.Sockets;

/// <summary>
/// Readiness from <see cref="Socket"/> itself, on the thread pool: works wherever .NET does, and costs a hand-over to
/// the pool for each request.
/// </summary>
internal sealed class SocketsTransport(ILogger logger) : SocketTransport
{
    /// <inheritdoc/>
    public override AcceptLoop NewAcceptLoop(
        Socket listening, AcceptFailures failures, Action<TransportConnection> onAccepted) =>
        new SocketsAcceptLoop(listening, failures, onAccepted, logger);

    /// <summary>Nothing: the threads belong to the thread pool.</summary>
    public override void Dispose()
    {
    }
}
