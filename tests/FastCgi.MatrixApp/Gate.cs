using System.Net;
using System.Net.Sockets;

namespace FastCgi.MatrixApp;

/// <summary>
/// A connection from the application to the test, beside the web server, so that both go step by step wherever the
/// application runs.
/// </summary>
internal sealed class Gate : IDisposable
{
    public const byte Arrived = (byte)'A';

    /// <summary>The client has gone, and the application knows.</summary>
    public const byte Left = (byte)'L';

    public const byte Ended = (byte)'E';

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    private Gate()
    {
    }

    /// <summary>The test waits no longer.</summary>
    public bool HasGone => _socket.Poll(0, SelectMode.SelectRead);

    public static async Task<Gate> OpenAsync(int port, CancellationToken cancellation)
    {
        var gate = new Gate();
        await gate._socket.ConnectAsync(new IPEndPoint(IPAddress.Loopback, port), cancellation);
        return gate;
    }

    /// <summary>Until the test says that it goes on, or has gone itself.</summary>
    public Task WaitAsync() => _socket.ReceiveAsync(new byte[1]);

    public void Tell(byte news) => _socket.Send([news]);

    public void Dispose() => _socket.Dispose();
}
