namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// Decides at each tick of the monitor how many threads to add or release. Two rules: a held thread is replaced, and
/// threads are hired by the load on those that are not held (<see cref="WorkerHiring"/>). A pinned number of serving
/// threads turns off the second rule, but not the first.
/// </summary>
internal sealed class WorkerGrowth
{
    /// <summary>Far more than a web server usually sends at once to blocking handlers.</summary>
    public const int MaxWorkers = 1024;

    private const int TicksOfExcess = 200;
    private const int TicksUntilStuck = 20;

    /// <summary>Starting a thread takes a part of a millisecond, during which the monitor does nothing else.</summary>
    private const int MostDoubled = 64;

    /// <summary>A thread that has just been started may not have taken its first event by the first tick.</summary>
    private const int TicksUntilEnough = 2;

    private readonly ProcessorUse _use;
    private readonly WorkerHiring? _hiring;

    // The number of threads that should be free to serve. Written by Decide and OnRetired, under the crew's lock.
    private int _serving;
    private int _ticksOfExcess;

    // For the replacement.
    private int _ticksWithoutEnd;
    private int _ticksWithWaiting;
    private int _lastAdded;
    private int _heldBefore;

    /// <summary>Lets <paramref name="pinned"/> threads serve; with null a number by load, at least one.</summary>
    public WorkerGrowth(ProcessorUse use, int? pinned = null)
    {
        _use = use;
        _hiring = pinned is null ? new WorkerHiring(use) : null;
        _serving = Least = pinned ?? 1;
        Most = MaxWorkers + (pinned ?? 0);
    }

    public int Least { get; }

    public int Most { get; }

    /// <summary>True if the number of threads is at its limit, and the last decision wanted more.</summary>
    public bool IsAtLimit { get; private set; }

    /// <summary>Sets the function that returns whether this many threads want a processor.</summary>
    public void Watch(Func<int, bool> areRunnable) => _use.AreRunnable = areRunnable;

    /// <summary>
    /// Decides at a tick of the monitor how many threads to add; -1 to release one. Of all
    /// <paramref name="workers"/>, some wait for an event and some are held. In the tick, <paramref name="ended"/> runs
    /// ended.
    /// </summary>
    public int Decide(int workers, int waiting, long ended, TimeSpan sinceLastTick, int held = 0)
    {
        _use.BeginTick(sinceLastTick);
        int free = workers - held;
        if (_hiring is not null)
        {
            // A waiting thread shows that the others are enough. If none waits, all free threads are needed.
            _serving = waiting > 0 ? Math.Clamp(free, 1, _serving) : Math.Max(_serving, free);
        }

        int replaced = Replace(free, held, waiting, ended);
        int hired = _hiring?.Decide(workers, free, waiting, ended, sinceLastTick) ?? DecideByExcess(free);
        if (hired > 0)
        {
            _serving = Math.Min(Math.Max(_serving, free + hired), Most);
        }

        return Limit(workers, replaced + hired);
    }

    public void OnRetired() => _serving = Math.Max(_serving - 1, Least);

    /// <summary>
    /// Replaces held threads at once. If all replacements are held too, more requests block than there are threads, so
    /// their number doubles each time. If the held threads compute, more threads would share the same processors. Then
    /// one is replaced only if no run has ended for a while, so that an abort or a short request gets through.
    /// </summary>
    private int Replace(int free, int held, int waiting, long ended)
    {
        _ticksWithWaiting = waiting > 0 ? _ticksWithWaiting + 1 : 0;
        if (_ticksWithWaiting >= TicksUntilEnough)
        {
            _lastAdded = 0;
        }

        // The number of threads that are missing because others are held.
        int missing = Math.Min(_serving - free, held);
        if (missing <= 0)
        {
            _ticksWithoutEnd = 0;
            return 0;
        }

        if (!_use.IsFull())
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

    private int Limit(int workers, int wanted)
    {
        int room = Math.Max(Most - workers, 0);
        IsAtLimit = room == 0 && wanted > 0;
        return Math.Min(wanted, room);
    }

    /// <summary>Releases the replacements one second after the held threads have returned.</summary>
    private int DecideByExcess(int free)
    {
        _ticksOfExcess = free > _serving ? _ticksOfExcess + 1 : 0;
        if (_ticksOfExcess < TicksOfExcess)
        {
            return 0;
        }

        _ticksOfExcess = 0;
        return -1;
    }
}
