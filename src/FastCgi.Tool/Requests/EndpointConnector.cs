using System.Net;
using System.Net.Sockets;
using FastCgi.Protocol;

namespace FastCgi.Tool.Requests;

/// <summary>Opens a socket to an endpoint, for commands that look at the bytes themselves.</summary>
internal static class EndpointConnector
{
    public static async Task<NetworkStream> ConnectAsync(FastCgiEndpoint endpoint, CancellationToken cancellationToken)
    {
        EndPoint target = endpoint switch
        {
            { SocketPath: { } path } => new UnixDomainSocketEndPoint(path),
            { Host: { } host } when IPAddress.TryParse(host, out IPAddress? address) =>
                new IPEndPoint(address, endpoint.Port),
            { Host: { } host } => new DnsEndPoint(host, endpoint.Port),
            _ =>
                throw new FormatException(
                    $"The endpoint '{endpoint}' is a descriptor, and only a listener can use one."),
        };
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
}
