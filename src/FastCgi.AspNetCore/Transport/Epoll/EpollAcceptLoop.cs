using System.ComponentModel;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// A listening socket in the shared set. The thread that gets its event accepts all waiting connections. It serves the
/// last one itself at once, because the first request usually arrives with the connection.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class EpollAcceptLoop(
    EpollTargets targets,
    Socket listening,
    AcceptFailures failures,
    Action<TransportConnection> onAccepted,
    ILogger logger) : AcceptLoop(listening), IEpollTarget
{
    /// <summary>Limit of the connections that one thread accepts before it serves one.</summary>
    private const int MostInARow = 64;

    private readonly Lock _lock = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly EndPoint _listenedOn = listening.LocalEndPoint!;

    // Under the lock.
    private int _accepting;
    private bool _isWatched;

    // Set under the lock.
    private volatile bool _isPausing;

    public ulong Token { get; set; }

    public override void Start()
    {
        Listening.Blocking = false;
        targets.Add(this);
        Rearm();
    }

    public void OnEvents(EpollEvents events)
    {
        lock (_lock)
        {
            if (Stopping.IsCancellationRequested || _isPausing)
            {
                return;
            }

            _accepting++;
        }

        EpollConnection? last = null;
        var thread = new LentThread();
        try
        {
            AcceptWaiting(ref last);
        }
        catch (Exception exception)
        {
            // The listening socket still has to be emptied.
            failures.OnNotServed(exception);
            Rearm();
        }
        finally
        {
            // Before an application runs, because the stop waits for this.
            lock (_lock)
            {
                _accepting--;
                EndIfStopped();
            }
        }

        // Loggers may have run on this thread if a connection could not be served.
        thread.Return();

        last?.ReadFirst();
    }

    public void Rearm()
    {
        int error;
        lock (_lock)
        {
            error = targets.Arm(
                Listening.SafeHandle, _isWatched, EpollEvents.Readable | EpollEvents.EdgeTriggered, Token);
            _isWatched |= error == 0;
        }

        if (error != 0)
        {
            _ = PauseAsync(stopping => failures.PauseAsync(new Win32Exception(error), stopping));
        }
    }

    protected override Task EndAccepting()
    {
        lock (_lock)
        {
            EndIfStopped();
        }

        targets.Remove(this);
        return _ended.Task;
    }

    protected override bool TryTakeWaiting(out Func<CancellationToken, Task>? pause)
    {
        bool isTaken = TryAccept(out EpollConnection? accepted, out pause);
        accepted?.Watch();
        return isTaken;
    }

    private void AcceptWaiting(ref EpollConnection? last)
    {
        for (int i = 0; i < MostInARow; i++)
        {
            bool isTaken = TryAccept(out EpollConnection? accepted, out Func<CancellationToken, Task>? pause);
            if (accepted is not null)
            {
                last?.Watch();
                last = accepted;
            }

            if (pause is not null)
            {
                _ = PauseAsync(pause);
                return;
            }

            if (!isTaken)
            {
                return;
            }
        }

        // Connections that still wait cause a new event.
        Rearm();
    }

    /// <param name="connection">The connection; null if there was none, or its peer has left.</param>
    /// <param name="pause">The wait before the next accept; null for none.</param>
    /// <returns>False if there was none.</returns>
    private bool TryAccept(out EpollConnection? connection, out Func<CancellationToken, Task>? pause)
    {
        connection = null;
        pause = null;
        if (targets.IsFull())
        {
            pause = stopping => failures.PauseAsync(
                new Win32Exception(ErrorNumber.NoSpace), stopping, targets.IsFull);
            return false;
        }

        SocketDescriptor? accepted = SocketDescriptor.TryAccept(Listening.SafeHandle, out int error);
        if (accepted is null)
        {
            if (error is ErrorNumber.Interrupted or ErrorNumber.ConnectionAborted)
            {
                return true;
            }

            if (error == ErrorNumber.WouldBlock)
            {
                OnQueueEmpty();
            }
            else
            {
                pause = stopping => failures.PauseAsync(new Win32Exception(error), stopping);
            }

            return false;
        }

        if (failures.TakesLast(accepted.Descriptor))
        {
            pause = failures.PauseForRoomAsync;
        }

        connection = new EpollConnection(accepted, _listenedOn, targets, logger);
        onAccepted(connection);
        return true;
    }

    private void OnQueueEmpty()
    {
        if (failures.IsInBurst)
        {
            lock (_lock)
            {
                failures.OnQueueEmpty();
            }
        }
    }

    private async Task PauseAsync(Func<CancellationToken, Task> pause)
    {
        Task end;
        lock (_lock)
        {
            if (_isPausing || Stopping.IsCancellationRequested)
            {
                return;
            }

            _isPausing = true;
            end = pause(Stopping);
        }

        await end.ConfigureAwait(false);
        _isPausing = false;
        Rearm();
    }

    private void EndIfStopped()
    {
        if (Stopping.IsCancellationRequested && _accepting == 0)
        {
            _ended.TrySetResult();
        }
    }
}
