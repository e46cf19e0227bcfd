namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// How many threads to add, or to let go, at each tick of the monitor. Two rules: a held thread is replaced, and
/// threads are hired by the load on those that are not held (<see cref="WorkerHiring"/>). A pinned number is how many
/// serve: the second rule is off then, the first is not.
/// </summary>
internal sealed class WorkerGrowth
{
    /// <summary>Far more than a web server sends at once to blocking handlers that are worth the wait.</summary>
    public const int MaxWorkers = 1024;

    private const int TicksOfExcess = 200;
    private const int TicksUntilStuck = 20;

    /// <summary>To start a thread takes a part of a millisecond, in which the monitor does nothing else.</summary>
    private const int MostDoubled = 64;

    /// <summary>A thread that has just been started may not have taken its first event by the first tick.</summary>
    private const int TicksUntilEnough = 2;

    private readonly ProcessorUse _use;
    private readonly WorkerHiring? _hiring;

    // The threads that should be free to serve. Written by Decide and OnRetired, under the crew's lock.
    private int _serving;
    private int _ticksOfExcess;

    // Of the replacement.
    private int _ticksWithoutEnd;
    private int _ticksWithWaiting;
    private int _lastAdded;
    private int _heldBefore;

    /// <param name="use">The processors, and what the process uses of them.</param>
    /// <param name="pinned">How many threads serve, whatever the load; null: by the load, at least one.</param>
    public WorkerGrowth(ProcessorUse use, int? pinned = null)
    {
        _use = use;
        _hiring = pinned is null ? new WorkerHiring(use) : null;
        _serving = Least = pinned ?? 1;
        Most = MaxWorkers + (pinned ?? 0);
    }

    public int Least { get; }

    public int Most { get; }

    /// <summary>There are as many threads as there may be, and the last decision wanted more.</summary>
    public bool IsAtLimit { get; private set; }

    /// <summary>The function tells whether so many threads want a processor.</summary>
    public void Watch(Func<int, bool> areRunnable) => _use.AreRunnable = areRunnable;

    /// <summary>Decides from one tick of the monitor how many threads are needed; -1: one is not needed.</summary>
    /// <param name="workers">All threads.</param>
    /// <param name="waiting">Those that wait for an event at this moment.</param>
    /// <param name="ended">The runs that ended in this tick.</param>
    /// <param name="sinceLastTick">The length of the tick.</param>
    /// <param name="held">Those that are held.</param>
    public int Decide(int workers, int waiting, long ended, TimeSpan sinceLastTick, int held = 0)
    {
        _use.BeginTick(sinceLastTick);
        int free = workers - held;
        if (_hiring is null)
        {
            return Limit(workers, Replace(free, held, waiting, ended)) is > 0 and var added
                ? added
                : DecideByExcess(free);
        }

        // A thread that waits shows that the others are enough. If none waits, all that are free are needed.
        _serving = waiting > 0 ? Math.Clamp(free, 1, _serving) : Math.Max(_serving, free);
        int replaced = Replace(free, held, waiting, ended);
        int hired = _hiring.Decide(workers, free, waiting, ended, sinceLastTick);
        if (hired > 0)
        {
            _serving = Math.Min(Math.Max(_serving, free + hired), Most);
        }

        return Limit(workers, replaced + hired);
    }

    public void OnRetired()
    {
        if (_hiring is not null)
        {
            _serving = Math.Max(_serving - 1, 1);
        }
    }

    /// <summary>
    /// A held thread is replaced at once. If each replacement is held at once too, more requests block than there are
    /// threads, so twice as many come each time. If the held threads compute, more of them would share the same
    /// processors; then one is replaced only after a while in which no run ends, so that an abort or a short request
    /// gets through.
    /// </summary>
    private int Replace(int free, int held, int waiting, long ended)
    {
        _ticksWithWaiting = waiting > 0 ? _ticksWithWaiting + 1 : 0;
        if (_ticksWithWaiting >= TicksUntilEnough)
        {
            _lastAdded = 0;
        }

        // How many fewer are free than should serve, because others are held.
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

    /// <summary>Threads that replaced held ones are let go a second after those are back.</summary>
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
