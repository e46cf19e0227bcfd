using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport.Sockets;

/// <summary>Readiness from System.Net.Sockets and threads from the .NET thread pool: runs everywhere.</summary>
internal sealed class SocketsTransport : SocketTransport
{
    public override TransportConnection Adopt(Socket socket) => new SocketsConnection(socket);

    public override void Dispose()
    {
    }
}
