namespace FastCgi.WebServerKit;

/// <summary>Connects a client to a server of the test, whatever name its address has.</summary>
internal static class TestDialer
{
    public static async ValueTask<Stream> ConnectAsync(EndPoint server, CancellationToken cancellationToken)
    {
        var socket = server.AddressFamily == AddressFamily.Unix
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(server, cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
