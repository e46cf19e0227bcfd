namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// Decides whether one thread is held: it has stood in the same run for so long that it does not serve others. The
/// monitor's, one for each thread.
/// </summary>
internal struct HoldWatch
{
    /// <summary>
    /// Four ticks. Handlers that block for a few milliseconds are load, and more of them need more threads at once;
    /// one that stays longer is out of service and is replaced.
    /// </summary>
    public static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(20);

    private long _progress;
    private TimeSpan _unchanged;
    private bool _hasLooked;

    public bool IsHeld { get; private set; }

    /// <summary>One look. Returns whether the thread has got on since the last one.</summary>
    public bool Look(bool isWaiting, long progress, TimeSpan sinceLastTick)
    {
        bool hasProgressed = !_hasLooked || progress != _progress;
        _hasLooked = true;
        _progress = progress;
        _unchanged = isWaiting || hasProgressed ? TimeSpan.Zero : _unchanged + sinceLastTick;
        IsHeld = _unchanged >= Shortest;
        return hasProgressed;
    }

    /// <summary>Whether the thread has got on since the last look.</summary>
    public readonly bool HasProgressed(long progress) => !_hasLooked || progress != _progress;
}
