namespace FastCgi.AspNetCore.Transport.Sockets;

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
            pause = Take(accepted) ? failures.PauseForRoomAsync : null;
            return true;
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.WouldBlock)
        {
            return false;
        }
        catch (SocketException exception) when (!AcceptFailures.CallsForPause(exception.SocketErrorCode))
        {
            // The next one, at once.
            return true;
        }
        catch (SocketException exception) when (AcceptFailures.IsLack(exception.SocketErrorCode))
        {
            pause = stopping => failures.PauseAsync(exception, stopping);
            return false;
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
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

            if (Take(await next.ConfigureAwait(false)))
            {
                await failures.PauseForRoomAsync(Stopping).ConfigureAwait(false);
            }
        }
        catch (SocketException exception) when (!AcceptFailures.CallsForPause(exception.SocketErrorCode))
        {
            // The next one, at once.
        }

        return true;
    }

    /// <summary>True: it is the last for now.</summary>
    private bool Take(Socket accepted)
    {
        bool isLast = failures.TakesLast(accepted.Handle);
        try
        {
            if (!OperatingSystem.IsLinux() && accepted.AddressFamily != AddressFamily.Unix)
            {
                accepted.NoDelay = true;
            }

            onAccepted(new SocketsConnection(accepted, _listenedOn, logger));
        }
        catch (Exception exception)
        {
            accepted.Dispose();
            failures.OnNotServed(exception);
        }

        return isLast;
    }
}
