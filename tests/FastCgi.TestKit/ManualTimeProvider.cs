namespace FastCgi.TestKit;

/// <summary>
/// A clock that stands still until a test advances it. Timers fire inside <see cref="Advance"/>, on its thread, in the
/// order of their due times, with the clock at each due time.
/// </summary>
public sealed class ManualTimeProvider : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<Timer> _timers = [];
    private DateTimeOffset _start;
    private TimeSpan _elapsed;

    /// <summary>The default start is a fixed moment, so that no test depends on today.</summary>
    public ManualTimeProvider(DateTimeOffset? start = null) =>
        _start = start ?? new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public override TimeZoneInfo LocalTimeZone => TimeZoneInfo.Utc;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>Timers that have a due time.</summary>
    public int ActiveTimers
    {
        get
        {
            lock (_lock)
            {
                return _timers.Count(timer => timer.DueAt is not null);
            }
        }
    }

    private TimeSpan Elapsed
    {
        get
        {
            lock (_lock)
            {
                return _elapsed;
            }
        }
    }

    public override DateTimeOffset GetUtcNow()
    {
        lock (_lock)
        {
            return _start + _elapsed;
        }
    }

    public override long GetTimestamp() => Elapsed.Ticks;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Sets the time of day alone, as an administrator or NTP does: what was measured goes on.</summary>
    public void SetWallClock(DateTimeOffset now)
    {
        lock (_lock)
        {
            _start = now - _elapsed;
        }
    }

    /// <summary>
    /// Moves the clock, never backwards, and fires what becomes due. Not from within a timer's callback.
    /// </summary>
    public void Advance(TimeSpan time)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero);
        var end = Elapsed + time;
        while (TakeDue(end) is { } timer)
        {
            timer.Fire();
        }
    }

    /// <summary>
    /// Moves the clock to the next timer that is due, and leaves its callback to the caller; null where there is no
    /// timer. A callback that was taken comes after a disposal too, as with real timers.
    /// </summary>
    public Action? TakeNext() => ActiveTimers > 0 ? TakeDue(TimeSpan.MaxValue)!.Run : null;

    private void Schedule(Timer timer, TimeSpan dueTime, TimeSpan period)
    {
        lock (_lock)
        {
            timer.DueAt = dueTime == Timeout.InfiniteTimeSpan ? null : _elapsed + dueTime;
            timer.Period = period == Timeout.InfiniteTimeSpan || period == TimeSpan.Zero ? null : period;
            if (!_timers.Contains(timer))
            {
                _timers.Add(timer);
            }
        }
    }

    private void Remove(Timer timer)
    {
        lock (_lock)
        {
            timer.DueAt = null;
            _timers.Remove(timer);
        }
    }

    /// <summary>
    /// The first timer that is due by then, with the clock set to it; null, with the clock at the end.
    /// </summary>
    private Timer? TakeDue(TimeSpan end)
    {
        lock (_lock)
        {
            var next = _timers.Where(timer => timer.DueAt <= end).MinBy(timer => timer.DueAt);
            if (next?.DueAt is not { } dueAt)
            {
                _elapsed = end;
                return null;
            }

            _elapsed = dueAt > _elapsed ? dueAt : _elapsed;
            next.DueAt = next.Period is { } period ? dueAt + period : null;
            return next;
        }
    }

    /// <summary>The provider keeps the due time under its own lock.</summary>
    private sealed class Timer(ManualTimeProvider provider, TimerCallback callback, object? state) : ITimer
    {
        private volatile bool _isDisposed;

        public TimeSpan? DueAt { get; set; }

        public TimeSpan? Period { get; set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            if (_isDisposed)
            {
                return false;
            }

            provider.Schedule(this, dueTime, period);
            return true;
        }

        public void Dispose()
        {
            _isDisposed = true;
            provider.Remove(this);
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }

        public void Fire()
        {
            if (!_isDisposed)
            {
                Run();
            }
        }

        public void Run() => callback(state);
    }
}
