using FastCgi.AspNetCore.Transport;
using FastCgi.AspNetCore.Transport.Memory;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>Opens connections in memory while the server runs.</summary>
internal sealed class MemoryFeature : IFastCgiMemoryFeature
{
    private Action<TransportConnection>? _onAccepted;
    private ILogger? _logger;

    public bool IsExclusive { get; set; }

    public Stream Connect()
    {
        Action<TransportConnection> onAccepted = Volatile.Read(ref _onAccepted)
            ?? throw new InvalidOperationException(
                "The server takes no connections: it has not started, or it stops. Connect while the host runs.");
        var connection = new MemoryConnection(_logger!);
        onAccepted(connection);
        return connection.Peer;
    }

    /// <summary>The server runs.</summary>
    public void Open(Action<TransportConnection> onAccepted, ILogger logger)
    {
        _logger = logger;
        Volatile.Write(ref _onAccepted, onAccepted);
    }

    /// <summary>The server stops.</summary>
    public void Close() => Volatile.Write(ref _onAccepted, null);
}
