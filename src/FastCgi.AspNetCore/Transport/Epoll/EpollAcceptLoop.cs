using System.ComponentModel;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// A listening socket in the shared set. The thread that gets its event accepts all that wait; the last one it serves
/// itself, at once, since the first request of a connection mostly comes with it.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class EpollAcceptLoop(
    EpollTargets targets,
    Socket listening,
    AcceptFailures failures,
    Action<TransportConnection> onAccepted,
    ILogger logger) : AcceptLoop(listening), IEpollTarget
{
    /// <summary>Accepted in a row by one thread, before it serves one.</summary>
    private const int MostInARow = 64;

    private readonly Lock _lock = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly EndPoint _listenedOn = listening.LocalEndPoint!;

    // Under the lock.
    private int _accepting;
    private bool _isStopping;
    private bool _isWatched;

    // Written under the lock at its beginning.
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
            if (_isStopping || _isPausing)
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
            // The listening socket is still to be emptied.
            failures.OnNotServed(exception);
            Rearm();
        }
        finally
        {
            // Before an application runs: the stop waits for this.
            Leave();
        }

        // Loggers have had it, where a connection could not be served.
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
            _isStopping = true;
            if (_accepting == 0)
            {
                _ended.TrySetResult();
            }
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

        // What still waits is an event again.
        Rearm();
    }

    /// <summary>Accepts one connection.</summary>
    /// <param name="connection">Null: none came, or its peer has left.</param>
    /// <param name="pause">What to wait for before the next; null for nothing.</param>
    /// <returns>False: none came.</returns>
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
            if (_isPausing || _isStopping)
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

    private void Leave()
    {
        lock (_lock)
        {
            _accepting--;
            if (_isStopping && _accepting == 0)
            {
                _ended.TrySetResult();
            }
        }
    }
}
