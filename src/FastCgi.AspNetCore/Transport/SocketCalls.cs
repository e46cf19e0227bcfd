namespace FastCgi.AspNetCore.Transport;

/// <summary>Calls on a socket that another thread may have closed, or whose peer may have left.</summary>
internal static class SocketCalls
{
    /// <summary>The result of the call, or <paramref name="otherwise"/> if the socket is closed or lost.</summary>
    public static T Try<T>(this Socket socket, Func<Socket, T> call, T otherwise)
    {
        try
        {
            return call(socket);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            return otherwise;
        }
    }

    /// <summary>False if the socket is closed or lost, or if the system cannot do it.</summary>
    public static bool Try(this Socket socket, Action<Socket> call) => socket.Try(
        open =>
        {
            call(open);
            return true;
        },
        otherwise: false);
}
