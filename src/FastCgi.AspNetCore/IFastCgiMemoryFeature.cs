namespace FastCgi.AspNetCore;

/// <summary>
/// Connections to the server without a socket, for tests in the same process. In
/// <see cref="Microsoft.AspNetCore.Hosting.Server.IServer.Features"/> of the server.
/// </summary>
public interface IFastCgiMemoryFeature
{
    /// <summary>
    /// True: the server binds no endpoint and has no addresses, whatever the application configures; its endpoint
    /// defaults apply to connections of <see cref="Connect"/>. Default false. Takes effect at the start of the server.
    /// </summary>
    bool IsExclusive { get; set; }

    /// <summary>
    /// Opens a connection and returns the end of the web server. It behaves as a unix socket: each direction holds 64
    /// KiB before its writer waits, <see cref="Stream.FlushAsync()"/> waits until the server has received everything,
    /// and the disposal closes both directions.
    /// </summary>
    /// <exception cref="InvalidOperationException">The server has not started, or it stops.</exception>
    Stream Connect();
}
