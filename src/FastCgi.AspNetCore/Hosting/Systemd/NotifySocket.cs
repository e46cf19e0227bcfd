using System.Net.Sockets;
using System.Text;

namespace FastCgi.AspNetCore.Hosting.Systemd;

/// <summary>
/// Tells systemd about the service by datagrams (sd_notify(3)). NOTIFY_SOCKET names the socket: a path, or an abstract
/// name with an @ in front.
/// </summary>
internal sealed class NotifySocket(string address)
{
    private readonly UnixDomainSocketEndPoint _endPoint = new(address[0] == '@' ? '\0' + address[1..] : address);

    /// <summary>Null where the service manager does not ask for notifications, or not by a unix socket.</summary>
    public static NotifySocket? From(string? address)
    {
        try
        {
            return address is { Length: > 1 } && address[0] is '/' or '@' && !OperatingSystem.IsWindows()
                ? new NotifySocket(address)
                : null;
        }
        catch (ArgumentOutOfRangeException)
        {
            // Longer than a unix socket can be.
            return null;
        }
    }

    /// <summary>
    /// False: nobody listens, or what was told before has not been read. The service goes on: the heartbeat and the
    /// stop must not wait for whoever asked for notifications.
    /// </summary>
    public bool TrySend(string state)
    {
        try
        {
            using var socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified)
            {
                Blocking = false,
            };
            return socket.SendTo(Encoding.UTF8.GetBytes(state), _endPoint) > 0;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
