using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Transport.Contexts;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.AspNetCore.Hosting;

// For our packages in the same process: connections in memory, and a gateway.
internal sealed partial class FastCgiServer
{
    private Func<Stream>? _connectInMemory;

    /// <summary>
    /// Adds the endpoints that a gateway connects to. Default null: there is no gateway. Takes effect at the start of
    /// the server. The endpoints stand beside those of the application, without its endpoint defaults; the server then
    /// listens on no default endpoint. Their addresses are the last ones in
    /// <see cref="IServerAddressesFeature.Addresses"/>. The <c>http</c> and <c>https</c> addresses of the host and the
    /// endpoints of Kestrel are the gateway's.
    /// </summary>
    public Action<FastCgiServerOptions>? AddEndpoints { get; set; }

    /// <summary>
    /// Kestrel runs beside this server and listens on its own endpoints, so the log does not call them ignored. Default
    /// false. Takes effect at the start of the server.
    /// </summary>
    public bool KestrelListens { get; set; }

    /// <summary>
    /// True: the server binds no endpoint and has no addresses, whatever the application configures; its endpoint
    /// defaults apply to connections of <see cref="Connect"/>. Default false. Takes effect at the start of the server.
    /// </summary>
    public bool IsExclusive { get; set; }

    /// <summary>Opens a connection without a socket; its other end is the web server's.</summary>
    /// <exception cref="InvalidOperationException">The server has not started, or it stops.</exception>
    public Stream Connect()
    {
        Func<Stream> connect = Volatile.Read(ref _connectInMemory)
            ?? throw new InvalidOperationException(
                "The server takes no connections: it has not started, or it stops. Connect while the host runs.");
        return connect();
    }

    /// <summary>Connections in memory have the defaults of endpoints. The first one asks for them.</summary>
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

/// <summary>
/// Makes the server of the application around the FastCGI server. A gateway in the same process registers one, before
/// or after <c>UseFastCgi</c>; of several the last one counts.
/// </summary>
internal delegate IServer ServerFront(IServiceProvider services, FastCgiServer server);
