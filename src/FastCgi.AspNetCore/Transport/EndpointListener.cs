using System.Net;
using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport;

/// <summary>One listening socket and its accept loop, which ends only by <see cref="StopAsync"/>.</summary>
internal sealed partial class EndpointListener : IDisposable
{
    private readonly Socket _socket;
    private readonly UnixSocketFile? _file;
    private readonly ILogger _logger;
    private readonly AcceptBackoff _backoff;
    private readonly string _target;
    private readonly CancellationTokenSource _stopping = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Action<Socket>? _onAccepted;
    private int _disposed;

    private EndpointListener(
        Socket socket, UnixSocketFile? file, ListenTarget target, ILogger logger, TimeProvider timeProvider)
    {
        _socket = socket;
        _file = file;
        _logger = logger;
        _backoff = new AcceptBackoff(timeProvider);
        LocalEndPoint = socket.LocalEndPoint ?? target.EndPoint
            ?? throw new IOException($"The {target} has no address.");
        _target = target.EndPoint is IPEndPoint ? LocalEndPoint.ToString()! : target.ToString();
    }

    /// <summary>Where it listens in fact: a port 0 is resolved.</summary>
    public EndPoint LocalEndPoint { get; }

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
            return new EndpointListener(socket, file, target, logger, timeProvider ?? TimeProvider.System);
        }
        catch (SocketException exception)
        {
            socket.Dispose();
            file?.Remove(logger);
            throw BindFailed(target, exception);
        }
    }

    /// <summary>Begins to accept; each socket is handed over on a thread-pool thread. Called once.</summary>
    public void Start(Action<Socket> onAccepted)
    {
        if (Interlocked.CompareExchange(ref _onAccepted, onAccepted, null) is not null)
        {
            throw new InvalidOperationException("The listener was started already.");
        }

        // From the pool without the caller's execution context: it would live on in every connection.
        ThreadPool.UnsafeQueueUserWorkItem(
            static listener => _ = listener.AcceptAllAsync(), this, preferLocal: false);
    }

    /// <summary>
    /// Ends the accept loop and closes the listening socket: nothing is accepted any more when the task has completed.
    /// A unix socket's file is removed if it is still ours. Idempotent.
    /// </summary>
    public async Task StopAsync()
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        if (Interlocked.CompareExchange(ref _onAccepted, static socket => socket.Dispose(), null) is null)
        {
            // Never started, and from now on it cannot be.
            _ended.TrySetResult();
        }

        await _ended.Task.ConfigureAwait(false);
        Release();
    }

    /// <summary>Closes the listening socket without waiting for a callback that is under way.</summary>
    public void Dispose()
    {
        _stopping.Cancel();
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

    private async Task AcceptAllAsync()
    {
        while (!_stopping.IsCancellationRequested)
        {
            try
            {
                Socket accepted = await _socket.AcceptAsync(_stopping.Token).ConfigureAwait(false);
                if (_backoff.Reset())
                {
                    LogAcceptResumed(_logger, _target);
                }

                Take(accepted);
            }
            catch (Exception) when (_stopping.IsCancellationRequested)
            {
                break;
            }
            catch (Exception exception)
            {
                await OnAcceptFailedAsync(exception).ConfigureAwait(false);
            }
        }

        _ended.TrySetResult();
    }

    private void Take(Socket accepted)
    {
        try
        {
            if (!OperatingSystem.IsLinux() && accepted.AddressFamily != AddressFamily.Unix)
            {
                accepted.NoDelay = true;
            }

            _onAccepted!(accepted);
        }
        catch (Exception exception)
        {
            // The peer may have left between the accept and the first option, and no connection may end the loop.
            accepted.Dispose();
            if (exception is not SocketException)
            {
                LogAcceptFailed(_logger, _target, exception);
            }
        }
    }

    private async Task OnAcceptFailedAsync(Exception exception)
    {
        SocketError error = (exception as SocketException)?.SocketErrorCode ?? SocketError.SocketError;
        if (error is SocketError.ConnectionAborted or SocketError.ConnectionReset)
        {
            // A peer left before it was accepted.
            return;
        }

        if (_backoff.BeginsBurst)
        {
            if (error is SocketError.TooManyOpenSockets or SocketError.NoBufferSpaceAvailable)
            {
                LogAcceptPaused(_logger, _target, exception.Message);
            }
            else
            {
                LogAcceptFailed(_logger, _target, exception);
            }
        }

        // To go on at once would only burn a core until somebody closes something.
        await _backoff.WaitAsync(_stopping.Token).ConfigureAwait(false);
    }

    private void Release()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 0)
        {
            _socket.Dispose();
            _file?.Remove(_logger);
        }
    }
}
