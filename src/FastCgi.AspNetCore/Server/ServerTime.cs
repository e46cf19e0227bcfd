using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Server;

/// <summary>
/// The system's time, with timers that do not depend on the thread pool. If several timers are due, .NET runs the first
/// one and queues the others after all other work. The end of a stop would then wait for the requests that it must end.
/// </summary>
internal sealed class ServerTime : TimeProvider
{
    private static readonly ServerTime s_shared = new();
    private static readonly TimeSpan s_longestWait = TimeSpan.FromHours(1);

    private readonly object _lock = new();

    // Under the lock. The active alarms, by due time.
    private readonly SortedSet<Alarm> _alarms = new(Comparer<Alarm>.Create(Compare));
    private bool _hasThread;
    private long _made;

    private ServerTime()
    {
    }

    private TimeSpan Now => GetElapsedTime(0);

    /// <summary>Replaces the system's time provider. Any other one is the host's and is kept.</summary>
    public static TimeProvider For(TimeProvider time) => time == System ? s_shared : time;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        if (!TryStart())
        {
            return base.CreateTimer(callback, state, dueTime, period);
        }

        var alarm = new Alarm(this, Interlocked.Increment(ref _made), () => callback(state));
        alarm.Change(dueTime, period);
        return alarm;
    }

    /// <summary>False if the system cannot create a thread.</summary>
    private bool TryStart()
    {
        lock (_lock)
        {
            return _hasThread = _hasThread || OwnThread.TryStart("FastCGI time", Run);
        }
    }

    private void Run()
    {
        while (true)
        {
            // A callback that blocks must not delay the next one.
            EndingThreads.Queue(static callback => callback(), WaitForNext());
        }
    }

    private Action WaitForNext()
    {
        lock (_lock)
        {
            while (true)
            {
                TimeSpan wait = _alarms.Min is { } next ? next.Due - Now : s_longestWait;
                if (wait <= TimeSpan.Zero)
                {
                    return _alarms.Min!.Ring();
                }

                // At least a millisecond, because a shorter wait returns at once.
                wait += TimeSpan.FromMilliseconds(1);
                Monitor.Wait(_lock, wait < s_longestWait ? wait : s_longestWait);
            }
        }
    }

    private static int Compare(Alarm one, Alarm other) =>
        one.Due == other.Due ? one.Number.CompareTo(other.Number) : one.Due.CompareTo(other.Due);

    private sealed class Alarm(ServerTime time, long number, Action callback) : ITimer
    {
        // Under the lock.
        private Action? _callback = callback;
        private TimeSpan _period;

        public long Number => number;

        public TimeSpan Due { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._lock)
            {
                if (_callback is null)
                {
                    return false;
                }

                _period = period;
                Set(dueTime);
                return true;
            }
        }

        public void Dispose()
        {
            lock (time._lock)
            {
                time._alarms.Remove(this);
                _callback = null;
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }

        /// <summary>Under the lock.</summary>
        public Action Ring()
        {
            Set(_period > TimeSpan.Zero ? _period : Timeout.InfiniteTimeSpan);
            return _callback!;
        }

        private void Set(TimeSpan wait)
        {
            time._alarms.Remove(this);
            if (wait != Timeout.InfiniteTimeSpan)
            {
                TimeSpan now = time.Now;
                Due = wait < TimeSpan.MaxValue - now ? now + wait : TimeSpan.MaxValue;
                time._alarms.Add(this);
                Monitor.Pulse(time._lock);
            }
        }
    }
}
