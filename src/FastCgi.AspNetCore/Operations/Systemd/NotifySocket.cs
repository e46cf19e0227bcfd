namespace FastCgi.AspNetCore.Operations.Systemd;

/// <summary>
/// Tells systemd about the service by datagrams (sd_notify(3)). NOTIFY_SOCKET names the socket: a path, or an abstract
/// name with an @ in front.
/// </summary>
internal sealed class NotifySocket(string address) : IDisposable
{
    private readonly UnixDomainSocketEndPoint _endPoint = new(address[0] == '@' ? '\0' + address[1..] : address);

    // Kept: when the process has no descriptor left, it is to say all the same that it lives.
    private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified)
    {
        Blocking = false,
    };

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
    /// stop must not wait for the service manager.
    /// </summary>
    public bool TrySend(string state) => Send(state) == SocketError.Success;

    /// <inheritdoc cref="TrySend"/>
    /// <returns>WouldBlock: what was told before has not been read.</returns>
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
