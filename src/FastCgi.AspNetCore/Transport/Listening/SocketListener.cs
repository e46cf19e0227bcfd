namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>One listening socket.</summary>
internal sealed class SocketListener : EndpointListener
{
    private readonly Socket _socket;
    private UnixSocketFile? _file;
    private AcceptLoop? _accepting;

    private SocketListener(
        Socket socket, UnixSocketFile? file, ListenTarget target, ILogger logger, TimeProvider timeProvider)
        : base(target.EndPoint is IPEndPoint ? $"{socket.LocalEndPoint}" : target.ToString(), logger, timeProvider)
    {
        _socket = socket;
        _file = file;
        IsInherited = target.EndPoint is null;
        LocalEndPoint = socket.LocalEndPoint ?? target.EndPoint
            ?? throw new IOException($"The {target} has no address.");
    }

    public override EndPoint LocalEndPoint { get; }

    public override bool CanBeProbed => true;

    public override bool IsInherited { get; }

    /// <summary>
    /// Binds and listens: connections wait in the backlog until <see cref="EndpointListener.Start"/>. Throws an
    /// <see cref="IOException"/> that names the address and says what is wrong with it.
    /// </summary>
    public static SocketListener Bind(ListenTarget target, ILogger logger, TimeProvider? timeProvider = null)
    {
        UnixSocketFile? file = null;
        Socket socket = target.EndPoint switch
        {
            null => InheritedSockets.Open(target.Handle),
            UnixDomainSocketEndPoint unix => UnixSocketFile.Bind(unix, target, logger, out file),
            _ => BindAddress(target, target.EndPoint),
        };

        try
        {
            if (socket.AddressFamily != AddressFamily.Unix)
            {
                // Accepted sockets inherit it on Linux, which saves a system call for each of them.
                socket.NoDelay = true;
            }

            if (target.EndPoint is not null)
            {
                // A socket that was passed listens already, with a queue as long as its maker wants.
                socket.Listen(target.Backlog);
            }

            file?.ThrowIfReplaced(target);
            return new SocketListener(socket, file, target, logger, timeProvider ?? TimeProvider.System);
        }
        catch (Exception exception)
        {
            file?.Remove(logger);
            Close(socket, keepsDescriptor: target.EndPoint is null);
            if (exception is SocketException failure)
            {
                throw target.BindFailed(failure);
            }

            throw;
        }
    }

    public override ListenQueue? ReadQueue() => ListenQueue.Read(_socket);

    public override Action ChangeAccess(ListenTarget target) =>
        _file?.ChangeAccess(target) ?? base.ChangeAccess(target);

    protected override void StartAccepting(
        ITransport transport, AcceptFailures failures, Action<TransportConnection> onAccepted)
    {
        _accepting = transport.NewAcceptLoop(_socket, failures, onAccepted);
        _accepting.Start();
    }

    protected override Task StopAcceptingAsync(CancellationToken cancellationToken)
    {
        if (OperatingSystem.IsLinux())
        {
            // First of all: a web server that finds no file asks another instance. On other systems nothing tells our
            // file from another's while the socket is open.
            RemoveFile();
        }

        return _accepting!.StopAsync(takesWaiting: !IsInherited, cancellationToken);
    }

    protected override void Release()
    {
        // While the socket is open, no other file can have the inode number of ours. Elsewhere than on Linux an open
        // socket would be taken for another instance's.
        if (OperatingSystem.IsLinux())
        {
            RemoveFile();
        }

        Close(_socket, keepsDescriptor: IsInherited && !IsStarted);
        RemoveFile();
    }

    private static Socket BindAddress(ListenTarget target, EndPoint endPoint)
    {
        Socket? socket = null;
        try
        {
            socket = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            if (endPoint is IPEndPoint ip && ip.Address.Equals(IPAddress.IPv6Any))
            {
                // "Any address" means IPv4 as well, as Kestrel's ListenAnyIP does.
                socket.DualMode = true;
            }

            socket.Bind(endPoint);
            return socket;
        }
        catch (SocketException exception)
        {
            socket?.Dispose();
            throw target.BindFailed(exception);
        }
    }

    /// <summary>
    /// An inherited descriptor that never accepted stays open: closed, it could not be opened again by a
    /// reload that names it rightly, and its number may be another socket's by then.
    /// </summary>
    private static void Close(Socket socket, bool keepsDescriptor)
    {
        if (keepsDescriptor)
        {
            socket.SafeHandle.SetHandleAsInvalid();
        }
        else
        {
            socket.Dispose();
        }
    }

    /// <summary>Once: the next instance may have put its own file there since.</summary>
    private void RemoveFile() => Interlocked.Exchange(ref _file, null)?.Remove(Logger);
}
