using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The callbacks that a <see cref="SendQueue"/> runs when it has sent: flushes that wait for room, the close that
/// waits for the last byte, and the reading that waits for answers to be taken. Guarded by the queue's lock.
/// </summary>
internal sealed class SendWaiters
{
    // Nearly always one: several only where requests share the connection.
    private IRoomWaiter? _room;
    private List<IRoomWaiter>? _more;
    private Action? _whenDrained;
    private Action? _whenAnswersAreTaken;

    /// <summary>A flush waits until everything has left, not only until there is room.</summary>
    public bool WaitForAll { get; private set; }

    /// <summary>Calls it when room is taken, which may run the application that waits.</summary>
    public void AwaitRoom(IRoomWaiter waiter, bool all)
    {
        WaitForAll |= all;
        if (_room is null)
        {
            _room = waiter;
        }
        else
        {
            (_more ??= []).Add(waiter);
        }
    }

    public void AwaitDrained(Action action) => _whenDrained = action;

    public void AwaitTaken(Action action) => _whenAnswersAreTaken = action;

    /// <summary>Takes the callbacks whose condition has come true.</summary>
    public Wakeups Take(bool room, bool drained = false, bool taken = false)
    {
        var wakeups = new Wakeups
        {
            Drained = drained ? Take(ref _whenDrained) : null,
            Taken = taken ? Take(ref _whenAnswersAreTaken) : null,
        };
        if (room)
        {
            wakeups.Room = Take(ref _room);
            wakeups.More = Take(ref _more);
            WaitForAll = false;
        }

        return wakeups;
    }

    private static T? Take<T>(ref T? field)
        where T : class
    {
        T? taken = field;
        field = null;
        return taken;
    }

    /// <summary>Callbacks taken under the lock, to be run after it.</summary>
    public struct Wakeups
    {
        public IRoomWaiter? Room;
        public List<IRoomWaiter>? More;
        public Action? Drained;
        public Action? Taken;

        /// <summary>On the thread that has sent. A failed send wakes flushes elsewhere.</summary>
        public readonly void Give(bool succeeded)
        {
            Taken?.Invoke();
            Drained?.Invoke();

            // A single flush goes on here, as its run began on the thread that received. Of several, none may hold the
            // others up.
            if (Room is not null && succeeded && More is null && !InlineRuns.OnlyReads)
            {
                ContinuedRun.Run(static waiter => ((IRoomWaiter)waiter!).OnRoom(), Room);
            }
            else
            {
                QueueRoom();
            }
        }

        /// <summary>For a caller that holds locks, which what waited may need.</summary>
        public readonly void GiveElsewhere()
        {
            Queue(Taken);
            Queue(Drained);
            QueueRoom();
        }

        private static void Queue(Action? action)
        {
            if (action is not null)
            {
                PoolWork.Queue(static action => action(), action);
            }
        }

        private static void Queue(IRoomWaiter waiter) => PoolWork.Queue(static waiter => waiter.OnRoom(), waiter);

        private readonly void QueueRoom()
        {
            if (Room is not null)
            {
                Queue(Room);
                More?.ForEach(Queue);
            }
        }
    }
}
