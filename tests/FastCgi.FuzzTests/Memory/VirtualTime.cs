namespace FastCgi.FuzzTests.Memory;

/// <summary>A clock that stands still until the scheduler moves it on to the next timer.</summary>
internal sealed class VirtualTime(StepScheduler scheduler) : TimeProvider
{
    private static readonly DateTimeOffset s_start = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly List<VirtualTimer> _timers = [];

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>Since the start.</summary>
    public TimeSpan Now { get; private set; } = TimeSpan.FromSeconds(1);

    public override long GetTimestamp() => Now.Ticks;

    public override DateTimeOffset GetUtcNow() => s_start + Now;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new VirtualTimer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Goes to the next timer and makes it ready. False where there is none.</summary>
    public bool TryAdvance()
    {
        VirtualTimer? next = null;
        foreach (var timer in _timers)
        {
            if (next is null || timer.DueAt < next.DueAt)
            {
                next = timer;
            }
        }

        if (next is null)
        {
            return false;
        }

        Now = next.DueAt > Now ? next.DueAt : Now;
        if (next.Period > TimeSpan.Zero)
        {
            next.DueAt += next.Period;
        }
        else
        {
            _timers.Remove(next);
        }

        scheduler.Add(next);
        return true;
    }

    internal void Schedule(VirtualTimer timer, TimeSpan dueTime)
    {
        _timers.Remove(timer);
        if (dueTime != Timeout.InfiniteTimeSpan)
        {
            timer.DueAt = Now + dueTime;
            _timers.Add(timer);
        }
    }

    internal void Remove(VirtualTimer timer) => _timers.Remove(timer);
}

/// <summary>A timer of a <see cref="VirtualTime"/>. Its callback is a step among others.</summary>
internal sealed class VirtualTimer(VirtualTime time, TimerCallback callback, object? state) : ITimer, IStep
{
    private bool _isDisposed;

    public TimeSpan DueAt { get; set; }

    public TimeSpan Period { get; private set; }

    public bool Change(TimeSpan dueTime, TimeSpan period)
    {
        if (_isDisposed)
        {
            return false;
        }

        Period = period;
        time.Schedule(this, dueTime);
        return true;
    }

    public void Dispose()
    {
        _isDisposed = true;
        time.Remove(this);
    }

    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    public void Run()
    {
        // A callback that was under way may still come after the disposal, as with real timers.
        callback(state);
    }
}
