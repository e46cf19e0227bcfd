namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// A shared thread while an application's code runs on it: a handler, a callback, a logger. Restores the state of the
/// thread afterwards, as .NET's thread pool does after each work item. So one request never sees the state of another,
/// and the thread cannot become a foreground thread that keeps the process alive.
/// </summary>
internal readonly ref struct LentThread
{
    private readonly Thread _thread = Thread.CurrentThread;
    private readonly ExecutionContext? _executionContext = ExecutionContext.Capture();
    private readonly SynchronizationContext? _synchronizationContext = SynchronizationContext.Current;
    private readonly string? _name;
    private readonly ThreadPriority _priority;
    private readonly bool _isBackground;

    public LentThread() =>
        (_name, _priority, _isBackground) = (_thread.Name, _thread.Priority, _thread.IsBackground);

    /// <summary>Restores the state of the thread. May be called after each piece of code.</summary>
    public void Return()
    {
        if (_executionContext is not null)
        {
            ExecutionContext.Restore(_executionContext);
        }

        if (SynchronizationContext.Current != _synchronizationContext)
        {
            SynchronizationContext.SetSynchronizationContext(_synchronizationContext);
        }

        if (_thread.Name != _name)
        {
            _thread.Name = _name;
        }

        if (_thread.Priority != _priority)
        {
            _thread.Priority = _priority;
        }

        if (_thread.IsBackground != _isBackground)
        {
            _thread.IsBackground = _isBackground;
        }
    }
}
