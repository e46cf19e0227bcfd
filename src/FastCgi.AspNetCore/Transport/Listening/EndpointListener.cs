using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>One endpoint: bound, then accepting, then stopped.</summary>
internal abstract class EndpointListener(string address, ILogger logger, TimeProvider timeProvider) : IDisposable
{
    private readonly Lock _lock = new();
    private volatile AcceptFailures? _failures;
    private volatile IPEndPoint? _probedFrom;
    private Task? _stop;
    private int _released;

    /// <summary>The bound address, with the real port in place of port 0.</summary>
    public abstract EndPoint LocalEndPoint { get; }

    /// <summary>True if this process can connect to the endpoint, to check that it is served.</summary>
    public virtual bool CanBeProbed => false;

    /// <summary>The descriptor of a socket that was passed to this process; null for the server's own.</summary>
    public virtual ulong? InheritedHandle => null;

    /// <summary>True if the socket was passed to this process. Its address may be unreachable from here.</summary>
    public bool IsInherited => InheritedHandle is not null;

    /// <summary>True if connections wait until others end.</summary>
    public bool LacksRoom => _failures?.LacksRoom == true;

    /// <summary>The local endpoint from which this process probes the listener; null if it does not.</summary>
    public IPEndPoint? ProbedFrom
    {
        set => _probedFrom = value;
    }

    /// <summary>True once accepting has begun.</summary>
    protected bool IsStarted => _failures is not null;

    protected ILogger Logger => logger;

    /// <summary>The connections that wait to be accepted; null if the system does not report them.</summary>
    public virtual ListenQueue? ReadQueue() => null;

    /// <summary>True if this process has made the connection, to probe the listener.</summary>
    public bool IsProbe(TransportConnection connection) =>
        _probedFrom is { } probe
        && connection.RemoteEndPoint is IPEndPoint client
        && client.Port == probe.Port
        && probe.Address.MapToIPv6().Equals(client.Address.MapToIPv6());

    /// <summary>As <see cref="UnixSocketFile.ChangeAccess"/>. Does nothing without a socket file.</summary>
    public virtual Action ChangeAccess(SocketAccess access) => static () => { };

    /// <summary>Starts accepting. Called once.</summary>
    public void Start(
        ITransport transport, Action<TransportConnection> onAccepted, DescriptorReserve? reserve = null)
    {
        lock (_lock)
        {
            if (IsStarted || _stop is not null)
            {
                throw new InvalidOperationException("The listener was started or stopped already.");
            }

            var failures = new AcceptFailures(address, logger, timeProvider, reserve);
            _failures = failures;
            StartAccepting(transport, failures, connection => HandOver(connection, onAccepted, failures));
        }
    }

    /// <summary>
    /// Stops accepting and closes the endpoint. When the task has completed, nothing is accepted any more. Removes the
    /// file of a unix socket if it is still ours. Idempotent; the first caller's token counts.
    /// </summary>
    /// <param name="cancellationToken">Cancelled if the stop is out of time: do not wait for callbacks.</param>
    public Task StopAsync(CancellationToken cancellationToken = default)
    {
        lock (_lock)
        {
            return _stop ??= StopOnceAsync(cancellationToken);
        }
    }

    /// <summary>Closes the endpoint without waiting for a running callback.</summary>
    public void Dispose()
    {
        _ = StopAsync();
        ReleaseOnce();
    }

    /// <summary>
    /// Starts accepting; sockets use <paramref name="transport"/>. <paramref name="onAccepted"/> does not throw.
    /// </summary>
    protected abstract void StartAccepting(
        ITransport transport, AcceptFailures failures, Action<TransportConnection> onAccepted);

    /// <summary>Stops accepting, if it has begun. Never throws.</summary>
    protected abstract Task StopAcceptingAsync(CancellationToken cancellationToken);

    /// <summary>Closes the endpoint. Called once, perhaps while accepting ends. Never throws.</summary>
    protected abstract void Release();

    /// <summary>
    /// Hands a connection to user code: metrics listeners, loggers and filters. Restores the state of the thread before
    /// it serves others. A connection that cannot be served is closed.
    /// </summary>
    private static void HandOver(
        TransportConnection connection, Action<TransportConnection> onAccepted, AcceptFailures failures)
    {
        var thread = new LentThread();
        try
        {
            onAccepted(connection);
        }
        catch (Exception exception)
        {
            connection.Close();
            failures.OnNotServed(exception);
        }

        thread.Return();
    }

    private async Task StopOnceAsync(CancellationToken cancellationToken)
    {
        if (IsStarted)
        {
            // On the thread of the stop, like the rest of the stop.
            await StopAcceptingAsync(cancellationToken).ConfigureAwait(true);
        }

        ReleaseOnce();
    }

    private void ReleaseOnce()
    {
        if (Interlocked.Exchange(ref _released, 1) == 0)
        {
            Release();
        }
    }
}
