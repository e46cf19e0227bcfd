using System.Net.Sockets;

namespace FastCgi.Testing.Connections;

/// <summary>A connected socket, which it owns.</summary>
internal sealed class SocketEnd(Socket socket) : IConnectionEnd
{
    public Stream Stream { get; } = new NetworkStream(socket, ownsSocket: true);

    public ValueTask WaitUntilReceivedAsync(CancellationToken cancellationToken) =>
        SocketQueue.WaitUntilReceivedAsync(socket, cancellationToken);

    /// <summary>Resets a TCP connection. Ends the stream of a unix socket, which has no reset.</summary>
    public void Reset()
    {
        if (socket.AddressFamily != AddressFamily.Unix)
        {
            socket.LingerState = new LingerOption(enable: true, seconds: 0);
        }

        Stream.Dispose();
    }
}
