namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// Whether another thread would only share the processors: the process has used nearly all of them in a tick, or as
/// many of its threads as there are processors want one at this moment. The second is true also where other processes
/// have them. It asks the system at most once a tick, and not at all in a tick without a question.
/// </summary>
internal sealed class ProcessorUse(int processors, Func<TimeSpan>? processorTime = null)
{
    private const double FullShare = 0.9;

    /// <summary>Threads that wanted a processor count for 20 ms: in a collection all wait for its end.</summary>
    private const int TicksRemembered = 4;

    private readonly Func<TimeSpan> _processorTime = processorTime ?? (static () => Environment.CpuUsage.TotalTime);
    private TimeSpan _tick;
    private TimeSpan _usedBefore;
    private bool _usedBeforeIsKnown;
    private bool _wasAsked;
    private bool _isFull;
    private int _ticksWanted;

    /// <summary>Whether so many threads compute or wait for a processor; null: unknown.</summary>
    public Func<int, bool>? AreRunnable { get; set; }

    public int Processors => processors;

    /// <summary>The processor time of the process, over all threads.</summary>
    public TimeSpan Total => _processorTime();

    public void BeginTick(TimeSpan sinceLastTick)
    {
        _usedBeforeIsKnown = _wasAsked;
        _wasAsked = false;
        _tick = sinceLastTick;
        _ticksWanted = Math.Max(_ticksWanted - 1, 0);
    }

    /// <summary>True also in the first of several ticks that ask: it has nothing to compare with.</summary>
    public bool IsFull()
    {
        if (!_wasAsked)
        {
            TimeSpan used = _processorTime();
            _ticksWanted = AreRunnable?.Invoke(processors) == true ? TicksRemembered : _ticksWanted;
            _isFull = !_usedBeforeIsKnown
                || _ticksWanted > 0
                || used - _usedBefore >= _tick * processors * FullShare;
            _usedBefore = used;
            _wasAsked = true;
        }

        return _isFull;
    }
}
