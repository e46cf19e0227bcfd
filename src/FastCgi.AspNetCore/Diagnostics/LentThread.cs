namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// A thread that serves many, while code of an application has it: a handler, a callback, a logger. It comes back as it
/// was lent, as a thread of .NET's pool does behind each work item, so nothing of one request is seen by the next, and
/// no foreground thread keeps the process from ending.
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

    /// <summary>The code has left the thread. May be called behind each piece of code that ran.</summary>
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
