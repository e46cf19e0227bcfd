namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// The first rule of growth: a held thread is replaced one for one, at once. If the held threads compute, more of them
/// would share the same processors; then one is replaced only after a while in which no run ends, so that an abort or a
/// short request gets through.
/// </summary>
internal sealed class HeldReplacement(ProcessorUse use)
{
    private const int TicksUntilStuck = 20;

    private int _ticksWithoutEnd;

    /// <summary>
    /// The threads to add in this tick. <paramref name="missing"/> is how many fewer serve than should, because others
    /// are held.
    /// </summary>
    public int Decide(int missing, long ended)
    {
        if (missing <= 0)
        {
            _ticksWithoutEnd = 0;
            return 0;
        }

        if (!use.IsFull())
        {
            _ticksWithoutEnd = 0;
            return missing;
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
