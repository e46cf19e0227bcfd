namespace FastCgi.TestKit;

/// <summary>
/// Keeps threads until the test lets them go on. There is nothing to dispose: a thread that comes behind the end of the
/// test finds it open. The thread pool is not told that its thread blocks, as a task would tell it.
/// </summary>
public sealed class Latch
{
    private readonly object _monitor = new();
    private volatile bool _isSet;

    public bool IsSet => _isSet;

    public void Set()
    {
        lock (_monitor)
        {
            _isSet = true;
            Monitor.PulseAll(_monitor);
        }
    }

    /// <summary>False when the time is over.</summary>
    public bool Wait(TimeSpan limit)
    {
        lock (_monitor)
        {
            return _isSet || Monitor.Wait(_monitor, limit);
        }
    }
}
