using System.Net;
using System.Net.Sockets;

namespace FastCgi.AspNetCore.Hosting.Systemd;

/// <summary>
/// A connection of the server to itself: it connects, ends its stream, and waits for the server to close. The server
/// has accepted and read it by then, with the threads that requests need. Every protocol ends so, and every refusal.
/// </summary>
internal static class WatchdogProbe
{
    /// <summary>Takes no longer than <paramref name="timeout"/> for each step.</summary>
    public static WatchdogOutcome Try(EndPoint endPoint, TimeSpan timeout)
    {
        using var socket = new Socket(
            endPoint.AddressFamily,
            SocketType.Stream,
            endPoint is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified);
        try
        {
            socket.SendTimeout = socket.ReceiveTimeout = (int)timeout.TotalMilliseconds;
            socket.Connect(Reachable(endPoint));
            socket.Shutdown(SocketShutdown.Send);
            Span<byte> rest = stackalloc byte[64];
            while (socket.Receive(rest) > 0)
            {
            }

            return WatchdogOutcome.Answered;
        }
        catch (SocketException exception)
        {
            return exception.SocketErrorCode switch
            {
                // A reset is an answer too.
                SocketError.ConnectionReset or SocketError.Shutdown => WatchdogOutcome.Answered,
                SocketError.AccessDenied => WatchdogOutcome.Forbidden,
                _ => WatchdogOutcome.Silent,
            };
        }
    }

    private static EndPoint Reachable(EndPoint endPoint) => endPoint is not IPEndPoint ip ? endPoint
        : ip.Address.Equals(IPAddress.Any) ? new IPEndPoint(IPAddress.Loopback, ip.Port)
        : ip.Address.Equals(IPAddress.IPv6Any) ? new IPEndPoint(IPAddress.IPv6Loopback, ip.Port)
        : endPoint;
}
