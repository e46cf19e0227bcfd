namespace FastCgi.AspNetCore.Operations.Systemd;

/// <summary>
/// Sends the service's state to systemd by datagrams (sd_notify(3)). NOTIFY_SOCKET names the socket: a path, or an
/// abstract name that begins with @.
/// </summary>
internal sealed class NotifySocket(string address) : IDisposable
{
    private readonly UnixDomainSocketEndPoint _endPoint = new(address[0] == '@' ? '\0' + address[1..] : address);

    // Kept open, so that a process without free descriptors can still report that it is alive.
    private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified)
    {
        Blocking = false,
    };

    /// <summary>Null if the service manager does not ask for notifications, or not on a unix socket.</summary>
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
            // The name is too long for a unix socket.
            return null;
        }
    }

    /// <summary>
    /// False if there is no listener, or if earlier messages have not been read. The service continues: the heartbeat
    /// and the stop must not wait for the service manager.
    /// </summary>
    public bool TrySend(string state) => Send(state) == SocketError.Success;

    /// <inheritdoc cref="TrySend"/>
    /// <returns>WouldBlock if earlier messages have not been read.</returns>
    public SocketError Send(string state)
    {
        try
        {
            _socket.SendTo(Encoding.UTF8.GetBytes(state), _endPoint);
            return SocketError.Success;
        }
        catch (SocketException exception)
        {
            return exception.SocketErrorCode;
        }
        catch (ObjectDisposedException)
        {
            return SocketError.NotSocket;
        }
    }

    public void Dispose() => _socket.Dispose();
}
