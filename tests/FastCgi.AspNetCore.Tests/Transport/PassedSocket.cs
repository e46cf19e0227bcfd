namespace FastCgi.AspNetCore.Tests.Transport;

/// <summary>A socket as another process leaves it to a server, which is to close it.</summary>
internal static class PassedSocket
{
    public static ulong Create(EndPoint endPoint) => Create(endPoint, out _);

    /// <param name="endPoint">What it is bound to.</param>
    /// <param name="address">What it is bound to, with the port that the system chose.</param>
    /// <param name="backlog">Null: it does not listen.</param>
    public static ulong Create(EndPoint endPoint, out EndPoint address, int? backlog = 512)
    {
        var protocol = endPoint is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified;
        var socket = new Socket(endPoint.AddressFamily, SocketType.Stream, protocol);
        socket.Bind(endPoint);
        if (backlog is { } length)
        {
            socket.Listen(length);
        }

        address = socket.LocalEndPoint!;
        var descriptor = (ulong)socket.SafeHandle.DangerousGetHandle();
        socket.SafeHandle.SetHandleAsInvalid();

        // Its finalizer would delete the file of a unix socket.
        GC.SuppressFinalize(socket);
        return descriptor;
    }
}
