namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// The first rule of growth: a held thread is replaced at once. If each replacement is held at once too, more requests
/// block than there are threads, so twice as many come each time. If the held threads compute, more of them would share
/// the same processors; then one is replaced only after a while in which no run ends, so that an abort or a short
/// request gets through.
/// </summary>
internal sealed class HeldReplacement(ProcessorUse use)
{
    private const int TicksUntilStuck = 20;

    /// <summary>To start a thread takes a part of a millisecond, in which the monitor does nothing else.</summary>
    private const int MostDoubled = 64;

    /// <summary>A thread that has just been started may not have taken its first event by the first tick.</summary>
    private const int TicksUntilEnough = 2;

    private int _ticksWithoutEnd;
    private int _ticksWithWaiting;
    private int _lastAdded;
    private int _heldBefore;

    /// <summary>The threads to add in this tick.</summary>
    /// <param name="missing">How many fewer serve than should, because others are held.</param>
    /// <param name="held">Those that are held.</param>
    /// <param name="waiting">Those that have nothing to do.</param>
    /// <param name="ended">The runs that ended in this tick.</param>
    public int Decide(int missing, int held, int waiting, long ended)
    {
        _ticksWithWaiting = waiting > 0 ? _ticksWithWaiting + 1 : 0;
        if (_ticksWithWaiting >= TicksUntilEnough)
        {
            _lastAdded = 0;
        }

        if (missing <= 0)
        {
            _ticksWithoutEnd = 0;
            return 0;
        }

        if (!use.IsFull())
        {
            _ticksWithoutEnd = 0;
            bool allAreHeld = held - _heldBefore >= _lastAdded;
            _heldBefore = held;
            _lastAdded = Math.Max(missing, allAreHeld ? Math.Min(_lastAdded * 2, MostDoubled) : 0);
            return _lastAdded;
        }

        _ticksWithoutEnd = ended == 0 ? _ticksWithoutEnd + 1 : 0;
        if (_ticksWithoutEnd < TicksUntilStuck)
        {
            return 0;
        }

        _ticksWithoutEnd = 0;
        return 1;
    }
}
