using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>One endpoint: bound, then accepting, then stopped.</summary>
/// <param name="address">As it appears in messages.</param>
/// <param name="logger">For what fails.</param>
/// <param name="timeProvider">Measures the pauses between accepts that fail.</param>
internal abstract class EndpointListener(string address, ILogger logger, TimeProvider timeProvider) : IDisposable
{
    private readonly Lock _lock = new();
    private volatile AcceptFailures? _failures;
    private volatile IPEndPoint? _probedFrom;
    private Task? _stop;
    private int _released;

    /// <summary>The bound address: a port 0 is resolved.</summary>
    public abstract EndPoint LocalEndPoint { get; }

    /// <summary>The process can connect to the endpoint by a socket, to see whether it is served.</summary>
    public virtual bool CanBeProbed => false;

    /// <summary>The socket was passed to this process, which may be unable to reach it by its address.</summary>
    public virtual bool IsInherited => false;

    /// <summary>Connections wait until others end.</summary>
    public bool LacksRoom => _failures?.LacksRoom == true;

    /// <summary>Where this process connects to the listener from to try it; null while it does not.</summary>
    public IPEndPoint? ProbedFrom
    {
        set => _probedFrom = value;
    }

    /// <summary>Accepting has begun.</summary>
    protected bool IsStarted => _failures is not null;

    protected ILogger Logger => logger;

    /// <summary>The connections that wait to be accepted; null where the system does not tell.</summary>
    public virtual ListenQueue? ReadQueue() => null;

    /// <summary>Whether this process has made the connection, to try the listener.</summary>
    public bool IsProbe(TransportConnection connection) =>
        _probedFrom is { } probe
        && connection.RemoteEndPoint is IPEndPoint client
        && client.Port == probe.Port
        && probe.Address.MapToIPv6().Equals(client.Address.MapToIPv6());

    /// <summary>As <see cref="UnixSocketFile.ChangeAccess"/>; nothing happens without a file of its own.</summary>
    public virtual Action ChangeAccess(ListenTarget target) => static () => { };

    /// <summary>Begins to accept. Called once.</summary>
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
    /// Ends the accepting and closes the endpoint: nothing is accepted any more when the task has completed. A unix
    /// socket's file is removed if it is still ours. Idempotent; the first caller's token counts.
    /// </summary>
    /// <param name="cancellationToken">The stop has no more time: do not wait for a callback that is under way.</param>
    public Task StopAsync(CancellationToken cancellationToken = default)
    {
        lock (_lock)
        {
            return _stop ??= StopOnceAsync(cancellationToken);
        }
    }

    /// <summary>Closes the endpoint without waiting for a callback that is under way.</summary>
    public void Dispose()
    {
        _ = StopAsync();
        ReleaseOnce();
    }

    /// <summary>
    /// Begins to accept: sockets by the means of <paramref name="transport"/>. <paramref name="onAccepted"/> does not
    /// throw.
    /// </summary>
    protected abstract void StartAccepting(
        ITransport transport, AcceptFailures failures, Action<TransportConnection> onAccepted);

    /// <summary>Ends the accepting, if it has begun. Never throws.</summary>
    protected abstract Task StopAcceptingAsync(CancellationToken cancellationToken);

    /// <summary>Closes the endpoint. Called once, maybe while the accepting ends. Never throws.</summary>
    protected abstract void Release();

    /// <summary>
    /// Listeners of metrics, loggers and filters see the connection. The thread may serve others before anything else
    /// puts it back as it was. A connection that cannot be served is closed.
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
            // On the thread of the stop, as all of it.
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
