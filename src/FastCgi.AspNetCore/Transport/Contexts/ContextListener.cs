using FastCgi.AspNetCore.Transport.Listening;
using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Transport.Contexts;

/// <summary>
/// An endpoint of another transport (<see cref="IConnectionListenerFactory"/>): a named pipe, memory, or any other that
/// the application registers.
/// </summary>
internal sealed class ContextListener(
    IConnectionListener listener, EndPoint asked, ILogger logger, TimeProvider timeProvider)
    : EndpointListener(asked.ToString()!, logger, timeProvider)
{
    private readonly CancellationTokenSource _stopping = new();
    private Task _accepting = Task.CompletedTask;

    public override EndPoint LocalEndPoint => listener.EndPoint;

    /// <summary>Binds with the last registered factory that accepts the endpoint.</summary>
    /// <exception cref="IOException">There is no such factory, or the address cannot be bound.</exception>
    /// <exception cref="OperationCanceledException">The wait for the address was cancelled.</exception>
    public static ContextListener Bind(
        EndPoint endPoint,
        IEnumerable<IConnectionListenerFactory> factories,
        ILogger logger,
        TimeProvider timeProvider,
        CancellationToken cancellationToken)
    {
        IConnectionListenerFactory factory = factories.Reverse().FirstOrDefault(
            candidate => candidate is not IConnectionListenerFactorySelector selector || selector.CanBind(endPoint))
            ?? throw new IOException(
                $"Failed to bind to address {endPoint}: no transport takes a {endPoint.GetType().Name}. Register an " +
                "IConnectionListenerFactory that does, or listen on an IPEndPoint or a UnixDomainSocketEndPoint.");
        Task<IConnectionListener>? binding = null;
        try
        {
            // The framework's transports bind without a wait, and a server starts under a lock.
            binding = factory.BindAsync(endPoint, cancellationToken).AsTask();
            IConnectionListener bound = binding.WaitAsync(cancellationToken).GetAwaiter().GetResult();
            return new ContextListener(bound, endPoint, logger, timeProvider);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            if (binding is not null)
            {
                _ = DisposeAsync(binding);
            }

            throw;
        }
        catch (Exception exception)
        {
            throw new IOException($"Failed to bind to address {endPoint}: {exception.Message}", exception);
        }
    }

    protected override void StartAccepting(
        ITransport transport, AcceptFailures failures, Action<TransportConnection> onAccepted) =>
        _accepting = AcceptLoop.AcceptInPool(() => AcceptAsync(failures, onAccepted), failures, _stopping.Token);

    protected override async Task StopAcceptingAsync(CancellationToken cancellationToken)
    {
#pragma warning disable CA1849 // Its callbacks are the server's own, and the thread pool may have no thread for them.
        _stopping.Cancel();
#pragma warning restore CA1849
        try
        {
            await listener.UnbindAsync(cancellationToken).AsTask().WaitAsync(cancellationToken).ConfigureAwait(true);
            await _accepting.WaitAsync(cancellationToken).ConfigureAwait(true);
        }
        catch (Exception)
        {
            // The transport failed to stop in time. Connections that it still accepts are closed unserved.
        }
    }

    protected override void Release() => _ = DisposeAsync(Task.FromResult(listener));

    private static async Task DisposeAsync(Task<IConnectionListener> binding)
    {
        try
        {
            IConnectionListener bound = await binding.ConfigureAwait(false);
            await bound.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The listener is not used any more.
        }
    }

    private async Task<bool> AcceptAsync(AcceptFailures failures, Action<TransportConnection> onAccepted)
    {
        if (await listener.AcceptAsync().ConfigureAwait(false) is not { } context)
        {
            return false;
        }

        failures.OnQueueEmpty();
        onAccepted(new ContextConnection(context, Logger));
        return true;
    }
}
