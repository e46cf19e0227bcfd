using Microsoft.AspNetCore.Hosting.Server.Features;

namespace FastCgi.AspNetCore;

/// <summary>
/// The server's side of a gateway in the same process, which takes HTTP requests and sends them to this server. In
/// <see cref="Microsoft.AspNetCore.Hosting.Server.IServer.Features"/> of the server.
/// </summary>
public interface IFastCgiGatewayFeature
{
    /// <summary>
    /// Adds the endpoints that the gateway connects to. Default null: there is no gateway. Takes effect at the start of
    /// the server. The endpoints stand beside those of the application, without its endpoint defaults; the server then
    /// listens on no default endpoint. Their addresses are the last ones in
    /// <see cref="IServerAddressesFeature.Addresses"/>. The <c>http</c> and <c>https</c> addresses of the host and the
    /// endpoints of Kestrel are the gateway's.
    /// </summary>
    Action<FastCgiServerOptions>? AddEndpoints { get; set; }

    /// <summary>
    /// Kestrel runs beside this server and listens on its own endpoints, so the log does not call them ignored. Default
    /// false. Takes effect at the start of the server.
    /// </summary>
    bool KestrelListens { get; set; }
}
