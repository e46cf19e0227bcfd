using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Server;

/// <summary>
/// The system's time, with timers that do not wait for the thread pool. Of the timers that are due, .NET runs the first
/// and queues the others behind all other work: there, the end of a stop would wait for the very requests that it ends.
/// </summary>
internal sealed class ServerTime : TimeProvider
{
    private static readonly ServerTime s_shared = new();
    private static readonly TimeSpan s_longestWait = TimeSpan.FromHours(1);

    private readonly object _lock = new();

    // Under the lock. Those that are set, by the time at which they are due.
    private readonly SortedSet<Alarm> _alarms = new(Comparer<Alarm>.Create(Compare));
    private bool _hasThread;
    private long _made;

    private ServerTime()
    {
    }

    private TimeSpan Now => GetElapsedTime(0);

    /// <summary>In place of the system's time; any other is the host's own.</summary>
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

    /// <summary>False: the system has no thread to give.</summary>
    private bool TryStart()
    {
        lock (_lock)
        {
            if (!_hasThread)
            {
                try
                {
                    new Thread(Run) { IsBackground = true, Name = "FastCGI time" }.UnsafeStart();
                    _hasThread = true;
                }
                catch (OutOfMemoryException)
                {
                    // There is no memory or no descriptor for it.
                }
            }

            return _hasThread;
        }
    }

    private void Run()
    {
        while (true)
        {
            // What a callback waits for must not keep the next one.
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

                // At least a millisecond: a shorter wait is none.
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
