namespace FastCgi.FuzzTests.Memory.Stepping;

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
