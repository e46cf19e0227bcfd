namespace FastCgi.TestKit;

/// <summary>A timer of a <see cref="ManualTimeProvider"/>, which keeps its due time under its own lock.</summary>
internal sealed class ManualTimer(ManualTimeProvider provider, TimerCallback callback, object? state) : ITimer
{
    private volatile bool _isDisposed;

    internal TimeSpan? DueAt { get; set; }

    internal TimeSpan? Period { get; set; }

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

    internal void Fire()
    {
        if (!_isDisposed)
        {
            callback(state);
        }
    }
}
