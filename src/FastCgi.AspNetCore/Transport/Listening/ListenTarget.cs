namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>The place to listen: an address to bind, or a socket that another process bound for us.</summary>
internal sealed record ListenTarget
{
    public ListenTarget(EndPoint endPoint) => EndPoint = endPoint;

    /// <param name="handle">The descriptor of a listening stream socket. It is closed with the listener.</param>
    public ListenTarget(ulong handle) => Handle = handle;

    /// <summary>The address to bind; null if <see cref="Handle"/> is used.</summary>
    public EndPoint? EndPoint { get; }

    /// <summary>The inherited descriptor; null if <see cref="EndPoint"/> is to be bound.</summary>
    public ulong? Handle { get; }

    /// <summary>
    /// Limit of the connections that wait to be accepted; the system's limit may be lower. Not for
    /// <see cref="Handle"/>.
    /// </summary>
    public int Backlog { get; init; } = 512;

    /// <summary>The access to the file of a unix socket. Set before a peer can connect.</summary>
    public SocketAccess Access { get; init; }

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

/// <summary>The mode of a socket file, its owner and its group; null for those of a new file.</summary>
internal readonly record struct SocketAccess(UnixFileMode? Mode, string? Owner, string? Group);
