namespace FastCgi.AspNetCore.Transport.Sockets;

/// <summary>
/// Readiness from <see cref="Socket"/>, on the thread pool. Works on every system, but costs a hand-over to the pool
/// for each request.
/// </summary>
internal sealed class SocketsTransport(ILogger logger) : ITransport
{
    /// <summary>Zero: the threads belong to the thread pool.</summary>
    public int WorkerCount => 0;

    public AcceptLoop NewAcceptLoop(
        Socket listening, AcceptFailures failures, Action<TransportConnection> onAccepted) =>
        new SocketsAcceptLoop(listening, failures, onAccepted, logger);

    public void Dispose()
    {
    }
}

/// <summary>Accepts one socket after the other on the thread pool.</summary>
internal sealed class SocketsAcceptLoop(
    Socket listening, AcceptFailures failures, Action<TransportConnection> onAccepted, ILogger logger)
    : AcceptLoop(listening)
{
    private readonly EndPoint _listenedOn = listening.LocalEndPoint!;
    private Task _accepting = Task.CompletedTask;

    public override void Start() => _accepting = AcceptInPool(AcceptAsync, failures, Stopping);

    protected override Task EndAccepting() => _accepting;

    protected override bool TryTakeWaiting(out Func<CancellationToken, Task>? pause)
    {
        pause = null;
        try
        {
            Listening.Blocking = false;
            Socket accepted = Listening.Accept();
            accepted.Blocking = true;
            pause = Take(accepted);
            return true;
        }
        catch (SocketException exception)
        {
            pause = AcceptFailures.IsLack(exception.SocketErrorCode)
                ? stopping => failures.PauseAsync(exception, stopping)
                : null;

            // If the peer has left, tries the next one at once. Otherwise none waits.
            return !AcceptFailures.CallsForPause(exception.SocketErrorCode);
        }
        catch (ObjectDisposedException)
        {
            return false;
        }
    }

    private async Task<bool> AcceptAsync()
    {
        try
        {
            ValueTask<Socket> next = Listening.AcceptAsync(Stopping);
            if (!next.IsCompleted)
            {
                failures.OnQueueEmpty();
            }

            if (Take(await next.ConfigureAwait(false)) is { } pause)
            {
                await pause(Stopping).ConfigureAwait(false);
            }
        }
        catch (SocketException exception) when (!AcceptFailures.CallsForPause(exception.SocketErrorCode))
        {
            // Tries the next one at once.
        }

        return true;
    }

    /// <summary>Hands over a connection. Returns the wait before the next one, or null.</summary>
    private Func<CancellationToken, Task>? Take(Socket accepted)
    {
        bool isLast = failures.TakesLast(accepted.Handle);
        onAccepted(new SocketsConnection(accepted, _listenedOn, logger));
        return isLast ? failures.PauseForRoomAsync : null;
    }
}
