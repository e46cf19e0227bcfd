using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Transport.Contexts;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.AspNetCore.Hosting;

// For our other packages in the same process: connections in memory, and a gateway.
internal sealed partial class FastCgiServer
{
    private Func<Stream>? _connectInMemory;

    /// <summary>
    /// Adds the endpoints that a gateway connects to. Default null: there is no gateway. Takes effect at the start of
    /// the server. The endpoints are added to those of the application, without its endpoint defaults; the server then
    /// listens on no default endpoint. Their addresses are the last ones in
    /// <see cref="IServerAddressesFeature.Addresses"/>. The gateway uses the host's <c>http</c> and <c>https</c>
    /// addresses and Kestrel's endpoints.
    /// </summary>
    public Action<FastCgiServerOptions>? AddEndpoints { get; set; }

    /// <summary>
    /// True if Kestrel runs beside this server and listens on its own endpoints, so that the log does not call them
    /// ignored. Default false. Takes effect at the start of the server.
    /// </summary>
    public bool KestrelListens { get; set; }

    /// <summary>
    /// True if the server binds no endpoint and has no addresses, whatever the application configures. The endpoint
    /// defaults apply to connections of <see cref="Connect"/>. Default false. Takes effect at the start of the server.
    /// </summary>
    public bool IsExclusive { get; set; }

    /// <summary>Opens a connection without a socket, and returns the web server's end.</summary>
    /// <exception cref="InvalidOperationException">The server has not started, or it is stopping.</exception>
    public Stream Connect()
    {
        Func<Stream> connect = Volatile.Read(ref _connectInMemory)
            ?? throw new InvalidOperationException(
                "The server takes no connections: it has not started, or it stops. Connect while the host runs.");
        return connect();
    }

    /// <summary>Gives connections in memory the endpoint defaults, which are read at the first connection.</summary>
    private void OpenMemory(ConnectionSet connections)
    {
        var endpoint = new Lazy<FastCgiListenOptions>(
            () => _options.Collect(static others => others.ListenUnixSocket("/memory")).Single());
        Volatile.Write(ref _connectInMemory, () =>
        {
            (ContextConnection connection, Stream peer) = MemoryPeer.Connect(_transportLog);
            connections.OnAccepted(connection, endpoint.Value);
            return peer;
        });
    }
}

/// <summary>
/// Wraps the FastCGI server in the application's server. A gateway in the same process registers one, before or after
/// <c>UseFastCgi</c>. The last one registered is used.
/// </summary>
internal delegate IServer ServerFront(IServiceProvider services, FastCgiServer server);
