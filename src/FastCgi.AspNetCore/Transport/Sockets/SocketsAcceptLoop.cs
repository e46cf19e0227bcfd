namespace FastCgi.AspNetCore.Transport.Sockets;

/// <summary>Accepts one socket after the other on the thread pool.</summary>
internal sealed class SocketsAcceptLoop(
    Socket listening, AcceptFailures failures, Action<TransportConnection> onAccepted, ILogger logger) : AcceptLoop
{
    private readonly CancellationTokenSource _stopping = new();
    private readonly EndPoint _listenedOn = listening.LocalEndPoint!;
    private Task _accepting = Task.CompletedTask;

    public override void Start()
    {
        // From the pool without the caller's execution context: it would live on in every connection.
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _accepting = ended.Task;
        ThreadPool.UnsafeQueueUserWorkItem(
            static start => _ = start.Loop.AcceptAllAsync(start.Ended), (Loop: this, Ended: ended), preferLocal: false);
    }

    public override async Task StopAsync(bool takesWaiting, CancellationToken cancellationToken)
    {
#pragma warning disable CA1849 // Its callbacks are the server's own, and the thread pool may have no thread for them.
        _stopping.Cancel();
#pragma warning restore CA1849
        await _accepting.WaitAsync(cancellationToken).ConfigureAwait(
            ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        if (takesWaiting && _accepting.IsCompleted)
        {
            await TakeWaitingAsync(listening, cancellationToken).ConfigureAwait(true);
        }
    }

    protected override bool TryTakeWaiting(out Func<CancellationToken, Task>? pause)
    {
        pause = null;
        try
        {
            listening.Blocking = false;
            Socket accepted = listening.Accept();
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

    private async Task AcceptAllAsync(TaskCompletionSource ended)
    {
        try
        {
            await AcceptUntilAsync(_stopping.Token).ConfigureAwait(false);
        }
        finally
        {
            // Whatever happened, the stop does not wait for ever.
            ended.TrySetResult();
        }
    }

    private async Task AcceptUntilAsync(CancellationToken stopping)
    {
        while (!stopping.IsCancellationRequested)
        {
            try
            {
                ValueTask<Socket> next = listening.AcceptAsync(stopping);
                if (!next.IsCompleted)
                {
                    failures.OnQueueEmpty();
                }

                if (Take(await next.ConfigureAwait(false)))
                {
                    await failures.PauseForRoomAsync(stopping).ConfigureAwait(false);
                }
            }
            catch (Exception) when (stopping.IsCancellationRequested)
            {
                break;
            }
            catch (SocketException exception) when (!AcceptFailures.CallsForPause(exception.SocketErrorCode))
            {
                // The next one, at once.
            }
            catch (Exception exception)
            {
                await failures.PauseAsync(exception, stopping).ConfigureAwait(false);
            }
        }
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
