using System.Net.Sockets;

namespace FastCgi.Testing.Connections;

/// <summary>A connected socket, which it owns.</summary>
internal sealed class SocketEnd(Socket socket) : IConnectionEnd
{
    public Stream Stream { get; } = new NetworkStream(socket, ownsSocket: true);

    public ValueTask WaitUntilReceivedAsync(CancellationToken cancellationToken) =>
        SocketQueue.WaitUntilReceivedAsync(socket, cancellationToken);

    /// <summary>A reset over TCP, an end of the stream over a unix socket, which knows no other.</summary>
    public void Reset()
    {
        if (socket.AddressFamily != AddressFamily.Unix)
        {
            socket.LingerState = new LingerOption(enable: true, seconds: 0);
        }

        Stream.Dispose();
    }
}
