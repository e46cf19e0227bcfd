namespace FastCgi.AspNetCore.Transport.Listening;

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
        InheritedHandle = target.Handle;
        LocalEndPoint = socket.LocalEndPoint ?? target.EndPoint
            ?? throw new IOException($"The {target} has no address.");
    }

    public override EndPoint LocalEndPoint { get; }

    public override bool CanBeProbed => true;

    public override ulong? InheritedHandle { get; }

    /// <summary>
    /// Binds and listens. Connections wait in the backlog until <see cref="EndpointListener.Start"/>. Throws an
    /// <see cref="IOException"/> that names the address and the fault.
    /// </summary>
    public static SocketListener Bind(ListenTarget target, ILogger logger, TimeProvider? timeProvider = null)
    {
        UnixSocketFile? file = null;
        Socket? socket = null;
        try
        {
            socket = target.EndPoint switch
            {
                null => InheritedSockets.Open(target.Handle!.Value),
                UnixDomainSocketEndPoint => UnixSocketFile.Bind(target, logger, out file),
                _ => new Socket(target.EndPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp),
            };
            if (socket.AddressFamily != AddressFamily.Unix)
            {
                // On Linux, accepted sockets inherit this option, which saves a system call for each.
                socket.NoDelay = true;
            }

            if (target.EndPoint is IPEndPoint ip)
            {
                if (ip.Address.Equals(IPAddress.IPv6Any))
                {
                    // "Any address" includes IPv4, as in Kestrel's ListenAnyIP.
                    socket.DualMode = true;
                }

                socket.Bind(ip);
            }

            if (target.EndPoint is not null)
            {
                // An inherited socket already listens, with the backlog of its creator.
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

    public override Action ChangeAccess(SocketAccess access) =>
        _file?.ChangeAccess(access) ?? base.ChangeAccess(access);

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
            // First, because a web server that finds no file asks another instance. Other systems cannot distinguish
            // our file from another one's while the socket is open.
            RemoveFile();
        }

        return _accepting!.StopAsync(takesWaiting: !IsInherited, cancellationToken);
    }

    protected override void Release()
    {
        // While the socket is open, no other file can have our inode number. On systems other than Linux, an open
        // socket would be taken for another instance's.
        if (OperatingSystem.IsLinux())
        {
            RemoveFile();
        }

        Close(_socket, keepsDescriptor: IsInherited && !IsStarted);
        RemoveFile();
    }

    /// <summary>
    /// Closes the socket. An inherited descriptor that never accepted stays open: a later reload could not open it
    /// again, and its number might then belong to another socket.
    /// </summary>
    private static void Close(Socket? socket, bool keepsDescriptor)
    {
        if (keepsDescriptor)
        {
            socket?.SafeHandle.SetHandleAsInvalid();
        }
        else
        {
            socket?.Dispose();
        }
    }

    /// <summary>Removes the file once: later, the file may be that of the next instance.</summary>
    private void RemoveFile() => Interlocked.Exchange(ref _file, null)?.Remove(Logger);
}
