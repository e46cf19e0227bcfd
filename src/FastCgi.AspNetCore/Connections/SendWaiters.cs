using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// What goes on when a <see cref="SendQueue"/> has sent: flushes that wait for room, the close that waits for the last
/// byte, and the reading that waits for answers to be taken. Guarded by the queue's lock.
/// </summary>
internal sealed class SendWaiters
{
    private TaskCompletionSource? _room;
    private int _count;
    private Action? _whenDrained;
    private Action? _whenAnswersAreTaken;

    /// <summary>A flush waits until everything has left, not only until there is room.</summary>
    public bool WaitForAll { get; private set; }

    /// <summary>Completes when room is taken, which may run the application that waits.</summary>
    public Task AwaitRoom(bool all)
    {
        WaitForAll |= all;
        _room ??= new TaskCompletionSource();
        _count++;
        return _room.Task;
    }

    public void AwaitDrained(Action action) => _whenDrained = action;

    public void AwaitTaken(Action action) => _whenAnswersAreTaken = action;

    /// <summary>What has come true of what was waited for.</summary>
    public Wakeups Take(bool room, bool drained = false, bool taken = false)
    {
        var wakeups = new Wakeups
        {
            Drained = drained ? Take(ref _whenDrained) : null,
            Taken = taken ? Take(ref _whenAnswersAreTaken) : null,
        };
        if (room)
        {
            wakeups.Room = _room;
            wakeups.RoomCount = _count;
            _room = null;
            _count = 0;
            WaitForAll = false;
        }

        return wakeups;
    }

    private static Action? Take(ref Action? action)
    {
        Action? taken = action;
        action = null;
        return taken;
    }

    /// <summary>What was taken under the lock, to be given after it.</summary>
    public struct Wakeups
    {
        public TaskCompletionSource? Room;
        public int RoomCount;
        public Action? Drained;
        public Action? Taken;

        /// <summary>On the thread that has sent. A failed send wakes flushes elsewhere.</summary>
        public readonly void Give(bool succeeded)
        {
            Taken?.Invoke();
            Drained?.Invoke();

            // A single flush goes on here, as its run began on the thread that received. Of several, none may hold the
            // others up.
            if (Room is not null && succeeded && RoomCount == 1)
            {
                ContinuedRun.Run(static source => ((TaskCompletionSource)source!).TrySetResult(), Room);
            }
            else
            {
                Queue(Room);
            }
        }

        /// <summary>For a caller that holds locks, which what waited may need.</summary>
        public readonly void GiveElsewhere()
        {
            Queue(Taken);
            Queue(Drained);
            Queue(Room);
        }

        private static void Queue(Action? action)
        {
            if (action is not null)
            {
                PoolWork.Queue(static action => action(), action);
            }
        }

        private static void Queue(TaskCompletionSource? room)
        {
            if (room is not null)
            {
                PoolWork.Queue(static room => room.TrySetResult(), room);
            }
        }
    }
}
