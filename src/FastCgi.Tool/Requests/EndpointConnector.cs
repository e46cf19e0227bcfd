using System.Net;
using System.Net.Sockets;

namespace FastCgi.Tool.Requests;

/// <summary>Opens a socket to an endpoint, for commands that process the bytes themselves.</summary>
internal static class EndpointConnector
{
    /// <exception cref="SocketException">Nothing accepts the connection.</exception>
    /// <exception cref="FormatException">The address is only valid for a listener.</exception>
    public static async Task<NetworkStream> ConnectAsync(FastCgiEndpoint endpoint, CancellationToken cancellationToken)
    {
        EndPoint target = EndPointOf(endpoint);
        Socket socket = target is UnixDomainSocketEndPoint
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(target, cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>The system's message. .NET reports a missing socket file as an unavailable address.</summary>
    public static string Describe(SocketException exception, FastCgiEndpoint endpoint) =>
        exception.SocketErrorCode == SocketError.AddressNotAvailable && endpoint.SocketPath is not null
            ? "No such file or directory"
            : exception.Message;

    private static EndPoint EndPointOf(FastCgiEndpoint endpoint) => endpoint switch
    {
        { SocketPath: { } path } => SocketOf(path),
        { Host: null } => throw new FormatException("a descriptor is for the end that listens"),
        { Port: 0 } => throw new FormatException("a connection needs a port from 1 to 65535"),
        { Host: "*" or "+" } => throw new FormatException(
            $"'{endpoint.Host}' names all addresses, and a connection needs one"),
        { Host: { } host } when IPAddress.TryParse(host, out IPAddress? address) =>
            new IPEndPoint(address, endpoint.Port),
        { Host: { } host } => new DnsEndPoint(host, endpoint.Port),
    };

    private static UnixDomainSocketEndPoint SocketOf(string path)
    {
        try
        {
            return new UnixDomainSocketEndPoint(path);
        }
        catch (ArgumentException exception)
        {
            throw new FormatException(
                $"its path has {Encoding.UTF8.GetByteCount(path)} bytes, and a unix socket may have 107 on Linux",
                exception);
        }
    }
}
