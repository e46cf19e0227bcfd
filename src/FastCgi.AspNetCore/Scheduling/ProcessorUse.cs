namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// Decides whether another thread would only share the processors: the process used nearly all of them in a tick, or it
/// has as many runnable threads as there are processors. The latter also holds if other processes use the processors.
/// Asks the system at most once a tick, and only when asked.
/// </summary>
internal sealed class ProcessorUse(int processors, Func<TimeSpan> processorTime)
{
    private const double FullShare = 0.9;

    /// <summary>A count of runnable threads is valid for 20 ms: during a garbage collection all threads wait.</summary>
    private const int TicksRemembered = 4;

    private TimeSpan _tick;
    private TimeSpan? _used; // At the last tick, or this one. Null if the last tick did not ask.
    private bool? _isFull; // Null until this tick asks.
    private int _ticksWanted;

    /// <summary>Returns whether this many threads compute or wait for a processor; null if unknown.</summary>
    public Func<int, bool>? AreRunnable { get; set; }

    public int Processors => processors;

    /// <summary>The processor time of the process, for all threads.</summary>
    public TimeSpan Total => processorTime();

    public void BeginTick(TimeSpan sinceLastTick)
    {
        _used = _isFull is null ? null : _used;
        _isFull = null;
        _tick = sinceLastTick;
        _ticksWanted = Math.Max(_ticksWanted - 1, 0);
    }

    /// <summary>Also true at the first of several ticks that ask, because there is nothing to compare with.</summary>
    public bool IsFull()
    {
        if (_isFull is null)
        {
            TimeSpan? before = _used;
            _used = processorTime();
            _ticksWanted = AreRunnable?.Invoke(processors) == true ? TicksRemembered : _ticksWanted;
            _isFull = before is null
                || _ticksWanted > 0
                || _used - before >= _tick * processors * FullShare;
        }

        return _isFull.Value;
    }
}
