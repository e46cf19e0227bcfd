namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>The place to listen: an address to bind, or a socket that another process bound for us.</summary>
internal sealed record ListenTarget
{
    public ListenTarget(EndPoint endPoint) => EndPoint = endPoint;

    /// <param name="handle">The descriptor of a listening stream socket. It is closed with the listener.</param>
    public ListenTarget(ulong handle) => Handle = handle;

    /// <summary>The address to bind; null if <see cref="Handle"/> is used.</summary>
    public EndPoint? EndPoint { get; }

    /// <summary>The inherited descriptor. Unused if <see cref="EndPoint"/> is set.</summary>
    public ulong Handle { get; }

    /// <summary>
    /// Limit of the connections that wait to be accepted; the system's limit may be lower. Not for
    /// <see cref="Handle"/>.
    /// </summary>
    public int Backlog { get; init; } = 512;

    /// <summary>The mode of a unix socket; null for 0660. Set before a peer can connect.</summary>
    public UnixFileMode? UnixMode { get; init; }

    /// <summary>The owner of the socket file, by name or number; null for the process's user. Linux.</summary>
    public string? UnixOwner { get; init; }

    /// <summary>The group of the socket file, by name or number; null for the process's group. Linux.</summary>
    public string? UnixGroup { get; init; }

    /// <summary>The exception for a failed bind. The reason must end with a full stop.</summary>
    public IOException BindFailed(string reason, Exception? inner = null) =>
        new($"Failed to bind to address {this}: {reason}", inner);

    public IOException BindFailed(SocketException exception) => BindFailed(
        exception.SocketErrorCode == SocketError.AddressAlreadyInUse
            ? "address already in use."
            : exception.Message + ".",
        exception);

    /// <summary>The target as it appears in messages.</summary>
    public override string ToString() => EndPoint switch
    {
        null => $"inherited descriptor {Handle}",
        UnixDomainSocketEndPoint unix => $"unix:{unix}",
        _ => EndPoint.ToString() ?? "",
    };
}
