namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// Whether the process has used nearly all processors in a tick, so that another thread would only share them. It asks
/// the system at most once a tick, and not at all in a tick without a question.
/// </summary>
internal sealed class ProcessorUse(int processors, Func<TimeSpan>? processorTime = null)
{
    private const double FullShare = 0.9;

    private readonly Func<TimeSpan> _processorTime = processorTime ?? (static () => Environment.CpuUsage.TotalTime);
    private TimeSpan _tick;
    private TimeSpan _usedBefore;
    private bool _usedBeforeIsKnown;
    private bool _wasAsked;
    private bool _isFull;

    /// <summary>The processors of the machine.</summary>
    public int Processors => processors;

    /// <summary>The processor time of the process, over all threads.</summary>
    public TimeSpan Total => _processorTime();

    /// <summary>A tick begins.</summary>
    public void BeginTick(TimeSpan sinceLastTick)
    {
        _usedBeforeIsKnown = _wasAsked;
        _wasAsked = false;
        _tick = sinceLastTick;
    }

    /// <summary>True also in the first of several ticks that ask: it has nothing to compare with.</summary>
    public bool IsFull()
    {
        if (!_wasAsked)
        {
            TimeSpan used = _processorTime();
            _isFull = !_usedBeforeIsKnown || used - _usedBefore >= _tick * processors * FullShare;
            _usedBefore = used;
            _wasAsked = true;
        }

        return _isFull;
    }
}
