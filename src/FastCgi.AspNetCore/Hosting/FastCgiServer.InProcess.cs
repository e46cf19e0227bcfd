using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Transport.Contexts;

namespace FastCgi.AspNetCore.Hosting;

// Features for code in the same process: connections in memory, and a gateway.
internal sealed partial class FastCgiServer : IFastCgiGatewayFeature, IFastCgiMemoryFeature
{
    private Func<Stream>? _connectInMemory;

    public Action<FastCgiServerOptions>? AddEndpoints { get; set; }

    public bool KestrelListens { get; set; }

    public bool IsExclusive { get; set; }

    public Stream Connect()
    {
        Func<Stream> connect = Volatile.Read(ref _connectInMemory)
            ?? throw new InvalidOperationException(
                "The server takes no connections: it has not started, or it stops. Connect while the host runs.");
        return connect();
    }

    /// <summary>
    /// Connections in memory have the defaults of endpoints, which are asked for with the first of them.
    /// </summary>
    private void OpenMemory(ConnectionSet connections, ILogger transportLog)
    {
        var endpoint = new Lazy<FastCgiListenOptions>(
            () => _options.Collect(static others => others.ListenUnixSocket("/memory")).Single());
        Volatile.Write(ref _connectInMemory, () =>
        {
            (ContextConnection connection, Stream peer) = MemoryPeer.Connect(transportLog);
            connections.OnAccepted(connection, endpoint.Value);
            return peer;
        });
    }

    private void CloseMemory() => Volatile.Write(ref _connectInMemory, null);
}
