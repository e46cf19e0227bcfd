using System.Net;
using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>One listening socket: bound, then accepting, then stopped.</summary>
internal sealed class EndpointListener : IDisposable
{
    private readonly Lock _lock = new();
    private readonly Socket _socket;
    private UnixSocketFile? _file;
    private readonly ILogger _logger;
    private readonly string _address;
    private readonly TimeProvider _timeProvider;
    private volatile AcceptFailures? _failures;
    private AcceptLoop? _accepting;
    private Task? _stop;
    private volatile IPEndPoint? _probedFrom;
    private int _disposed;

    private EndpointListener(
        Socket socket, UnixSocketFile? file, ListenTarget target, ILogger logger, TimeProvider timeProvider)
    {
        _socket = socket;
        _file = file;
        IsInherited = target.EndPoint is null;
        _logger = logger;
        LocalEndPoint = socket.LocalEndPoint ?? target.EndPoint
            ?? throw new IOException($"The {target} has no address.");
        _address = target.EndPoint is IPEndPoint ? LocalEndPoint.ToString()! : target.ToString();
        _timeProvider = timeProvider;
    }

    /// <summary>The bound address: a port 0 is resolved.</summary>
    public EndPoint LocalEndPoint { get; }

    /// <summary>The socket was passed to this process, which may be unable to reach it by its address.</summary>
    public bool IsInherited { get; }

    public bool LacksRoom => _failures?.LacksRoom == true;

    /// <summary>Where this process connects to the listener from to try it; null while it does not.</summary>
    public IPEndPoint? ProbedFrom
    {
        set => _probedFrom = value;
    }

    /// <summary>
    /// Binds and listens: connections wait in the backlog until <see cref="Start"/>. Throws an
    /// <see cref="IOException"/> that names the address and says what is wrong with it.
    /// </summary>
    public static EndpointListener Bind(ListenTarget target, ILogger logger, TimeProvider? timeProvider = null)
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

            socket.Listen(target.Backlog);
            file?.ThrowIfReplaced(target);
            return new EndpointListener(socket, file, target, logger, timeProvider ?? TimeProvider.System);
        }
        catch (Exception exception)
        {
            file?.Remove(logger);
            Close(socket, keepsDescriptor: target.EndPoint is null);
            if (exception is SocketException failure)
            {
                throw BindFailed(target, failure);
            }

            throw;
        }
    }

    /// <summary>The connections that wait to be accepted; null where the system does not tell.</summary>
    public ListenQueue? ReadQueue() => ListenQueue.Read(_socket);

    /// <summary>Whether this process has made the connection, to try the listener.</summary>
    public bool IsProbe(TransportConnection connection) =>
        _probedFrom is { } probe
        && connection.RemoteEndPoint is IPEndPoint client
        && client.Port == probe.Port
        && probe.Address.MapToIPv6().Equals(client.Address.MapToIPv6());

    /// <summary>
    /// As <see cref="UnixSocketFile.ChangeAccess"/>. Nothing happens on a socket without a file of its own.
    /// </summary>
    public Action ChangeAccess(ListenTarget target) => _file?.ChangeAccess(target) ?? (static () => { });

    /// <summary>Begins to accept by the means of <paramref name="transport"/>. Called once.</summary>
    public void Start(
        ITransport transport, Action<TransportConnection> onAccepted, DescriptorReserve? reserve = null)
    {
        lock (_lock)
        {
            if (_accepting is not null || _stop is not null)
            {
                throw new InvalidOperationException("The listener was started or stopped already.");
            }

            _failures = new AcceptFailures(_address, _logger, _timeProvider, reserve);
            _accepting = transport.NewAcceptLoop(_socket, _failures, onAccepted);
            _accepting.Start();
        }
    }

    /// <summary>
    /// Ends the accepting and closes the listening socket: nothing is accepted any more when the task has completed.
    /// A unix socket's file is removed if it is still ours. Idempotent; the first caller's token counts.
    /// </summary>
    /// <param name="cancellationToken">The stop has no more time: do not wait for a callback that is under way.</param>
    public Task StopAsync(CancellationToken cancellationToken = default)
    {
        lock (_lock)
        {
            return _stop ??= StopOnceAsync(cancellationToken);
        }
    }

    /// <summary>Closes the listening socket without waiting for a callback that is under way.</summary>
    public void Dispose()
    {
        _ = StopAsync();
        Release();
    }

    private static Socket BindAddress(ListenTarget target, EndPoint endPoint)
    {
        Socket socket;
        try
        {
            socket = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        }
        catch (SocketException exception)
        {
            throw BindFailed(target, exception);
        }

        try
        {
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
            socket.Dispose();
            throw BindFailed(target, exception);
        }
    }

    private static IOException BindFailed(ListenTarget target, SocketException exception) =>
        exception.SocketErrorCode == SocketError.AddressAlreadyInUse
            ? new IOException($"Failed to bind to address {target}: address already in use.", exception)
            : new IOException($"Failed to bind to address {target}: {exception.Message}.", exception);

    private async Task StopOnceAsync(CancellationToken cancellationToken)
    {
        if (_accepting is { } accepting)
        {
            if (OperatingSystem.IsLinux())
            {
                // First of all: a web server that finds no file asks another instance. On other systems nothing tells
                // our file from another's while the socket is open.
                RemoveFile();
            }

            // On the thread of the stop, as all of it.
            await accepting.StopAsync(takesWaiting: !IsInherited, cancellationToken).ConfigureAwait(true);
        }

        Release();
    }

    private void Release()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 0)
        {
            // While the socket is open, no other file can have the inode number of ours. Elsewhere than on Linux an
            // open socket would be taken for another instance's.
            if (OperatingSystem.IsLinux())
            {
                RemoveFile();
            }

            Close(_socket, keepsDescriptor: IsInherited && _accepting is null);
            RemoveFile();
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
    private void RemoveFile() => Interlocked.Exchange(ref _file, null)?.Remove(_logger);
}
