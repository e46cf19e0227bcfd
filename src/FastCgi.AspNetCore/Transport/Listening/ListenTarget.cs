namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>Where to listen: an address to bind, or a socket that another process bound for us.</summary>
internal sealed record ListenTarget
{
    public ListenTarget(EndPoint endPoint) => EndPoint = endPoint;

    /// <param name="handle">The descriptor of a listening stream socket; it is closed with the listener.</param>
    public ListenTarget(ulong handle) => Handle = handle;

    /// <summary>The address to bind; null when <see cref="Handle"/> is used.</summary>
    public EndPoint? EndPoint { get; }

    /// <summary>The inherited descriptor; meaningless when <see cref="EndPoint"/> is set.</summary>
    public ulong Handle { get; }

    /// <summary>
    /// Connections that may wait to be accepted; the system may have a lower ceiling. Not for <see cref="Handle"/>.
    /// </summary>
    public int Backlog { get; init; } = 512;

    /// <summary>The mode of a unix socket; null: 0660. Set before a peer can connect.</summary>
    public UnixFileMode? UnixMode { get; init; }

    /// <summary>The user that owns the socket file, by name or number; null leaves the process's own. Linux.</summary>
    public string? UnixOwner { get; init; }

    /// <summary>The group of the socket file, by name or number; null leaves the process's own. Linux.</summary>
    public string? UnixGroup { get; init; }

    /// <summary>The failure to bind, for a reason that ends with its full stop.</summary>
    public IOException BindFailed(string reason, Exception? inner = null) =>
        new($"Failed to bind to address {this}: {reason}", inner);

    public IOException BindFailed(SocketException exception) => BindFailed(
        exception.SocketErrorCode == SocketError.AddressAlreadyInUse
            ? "address already in use."
            : exception.Message + ".",
        exception);

    /// <summary>As it appears in messages.</summary>
    public override string ToString() => EndPoint switch
    {
        null => $"inherited descriptor {Handle}",
        UnixDomainSocketEndPoint unix => $"unix:{unix}",
        _ => EndPoint.ToString() ?? "",
    };
}
