using System.Net;
using System.Net.Sockets;

namespace FastCgi.AspNetCore.Operations.Systemd;

internal sealed partial class EndpointWatch
{
    /// <summary>
    /// Connects to the server itself, ends the stream, and waits for the server to close. The server has accepted and
    /// read it by then, with the threads that requests need. Every protocol ends so, and every refusal. Each step takes
    /// <paramref name="timeout"/> at most.
    /// </summary>
    /// <remarks>The callback gets the address that the probe connects from, before it does.</remarks>
    /// <returns>Success: the server has accepted, read and closed the connection. Else what stood in the way.</returns>
    internal static SocketError TryConnect(EndPoint endPoint, TimeSpan timeout, Action<IPEndPoint> onBound)
    {
        EndPoint[] ways = WaysTo(endPoint);
        SocketError outcome = TryOne(ways[0], timeout, onBound);
        return outcome != SocketError.Success
            && ways.Skip(1).Any(way => TryOne(way, timeout, onBound) == SocketError.Success)
            ? SocketError.Success
            : outcome;
    }

    /// <summary>Where a listener can be reached from this machine, the likeliest first.</summary>
    internal static EndPoint[] WaysTo(EndPoint endPoint) => endPoint is not IPEndPoint ip ? [endPoint]
        : ip.Address.Equals(IPAddress.Any) ? [new IPEndPoint(IPAddress.Loopback, ip.Port)]

        // It may take IPv4 as well, and a machine can have IPv6 sockets without an IPv6 address.
        : ip.Address.Equals(IPAddress.IPv6Any) ?
            [new IPEndPoint(IPAddress.IPv6Loopback, ip.Port), new IPEndPoint(IPAddress.Loopback, ip.Port)]
        : [endPoint];

    private static SocketError TryOne(EndPoint endPoint, TimeSpan timeout, Action<IPEndPoint> onBound)
    {
        try
        {
            using var socket = new Socket(
                endPoint.AddressFamily,
                SocketType.Stream,
                endPoint is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified);
            socket.SendTimeout = socket.ReceiveTimeout = (int)timeout.TotalMilliseconds;
            if (endPoint is IPEndPoint ip && BindToSameAddress(socket, ip) is { } own)
            {
                onBound(own);
            }

            socket.Connect(endPoint);
            socket.Shutdown(SocketShutdown.Send);
            Span<byte> rest = stackalloc byte[64];
            while (socket.Receive(rest) > 0)
            {
            }

            return SocketError.Success;
        }
        catch (SocketException exception)
        {
            // A reset is an answer too.
            return exception.SocketErrorCode is SocketError.ConnectionReset or SocketError.Shutdown
                ? SocketError.Success
                : exception.SocketErrorCode;
        }
    }

    /// <summary>
    /// Binds the probe to the address of the listener, from which it would connect anyway. Null if no port is free; the
    /// connection may find one even then.
    /// </summary>
    private static IPEndPoint? BindToSameAddress(Socket socket, IPEndPoint listener)
    {
        try
        {
            socket.Bind(new IPEndPoint(listener.Address, 0));
            return (IPEndPoint?)socket.LocalEndPoint;
        }
        catch (SocketException)
        {
            return null;
        }
    }
}
