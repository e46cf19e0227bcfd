using System.Diagnostics;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// Watches applications that keep their thread. It tells the run, so that its flushed bytes leave, and the transport,
/// so that others are served meanwhile. Its thread ticks while applications run. Otherwise it sleeps and costs nothing.
/// </summary>
/// <param name="startThread">As in <see cref="OwnThread.TryStart"/>.</param>
internal sealed class InlineRunMonitor(Action<Thread>? startThread = null)
{
    private const int TickMilliseconds = 5;

    /// <summary>A tenth of a second without a run: waking the monitor costs more than a few idle ticks.</summary>
    private const int IdleTicksUntilSleep = 20;

    private readonly Lock _lock = new();
    private readonly AutoResetEvent _wake = new(initialState: false);

    // Under the lock. The two arrays are replaced as a whole, so the monitor's thread reads them without it.
    private readonly Stack<InlineRunSlot> _free = new();
    private InlineRunSlot[] _slots = [];
    private Action<TimeSpan>[] _watched = [];
    private bool _threadStarted;

    // Set to true by the monitor's thread, and to false by the thread that begins a run.
    private bool _asleep = true;

    // Holds that end at the next tick at the latest. Most end earlier. They stay in the list, because another release
    // does nothing. Under the lock. The two lists are swapped at each tick, so that nothing is allocated.
    private List<(IHeldBytes Bytes, int Hold)> _nextReleases = [];

    // Used by the monitor's thread only.
    private List<(IHeldBytes Bytes, int Hold)> _dueReleases = [];

    /// <summary>The monitor of the process: a thread may serve connections of several servers.</summary>
    public static InlineRunMonitor Shared { get; } = new();

    /// <summary>True if the monitor does not tick: a thread that begins a run must call <see cref="Wake"/>.</summary>
    public bool IsAsleep => Volatile.Read(ref _asleep);

    /// <summary>Held during each tick. A test holds it to run without the monitor.</summary>
    internal SemaphoreSlim Ticking { get; } = new(1, 1);

    /// <summary>
    /// Starts ticking, unless it already does. If the system cannot create a thread, the next call tries again: a run
    /// does not fail for that reason.
    /// </summary>
    public void Wake()
    {
        if (!IsAsleep || !TryWake())
        {
            return;
        }

        if (TryHaveThread())
        {
            _wake.Set();
        }
        else
        {
            AnnounceSleep();
        }
    }

    /// <summary>
    /// Calls the owner of application threads at each tick while runs are active, on the monitor's thread. Exceptions
    /// are ignored.
    /// </summary>
    public void Watch(Action<TimeSpan> onTick)
    {
        lock (_lock)
        {
            _watched = [.. _watched, onTick];
        }
    }

    /// <summary>Ends <see cref="Watch"/>. A call that has begun may still arrive.</summary>
    public void Unwatch(Action<TimeSpan> onTick)
    {
        lock (_lock)
        {
            _watched = [.. _watched.Where(watched => watched != onTick)];
        }
    }

    /// <summary>Ends a hold at the next tick, if it has not ended by then.</summary>
    public void ReleaseAtNextTick(IHeldBytes bytes, int hold)
    {
        lock (_lock)
        {
            _nextReleases.Add((bytes, hold));
        }

        Wake();
    }

    /// <summary>Returns a slot for a thread: a returned one if there is any, otherwise a new one.</summary>
    public InlineRunSlot TakeSlot()
    {
        lock (_lock)
        {
            if (!_free.TryPop(out InlineRunSlot? slot))
            {
                slot = new InlineRunSlot();
                _slots = [.. _slots, slot];
            }

            return slot;
        }
    }

    public void ReturnSlot(InlineRunSlot slot)
    {
        lock (_lock)
        {
            _free.Push(slot);
        }
    }

    /// <summary>Checks all slots. True if something runs, or has run since the last tick.</summary>
    internal bool Tick(TimeSpan sinceLastTick)
    {
        bool active = Release();
        foreach (InlineRunSlot slot in Volatile.Read(ref _slots))
        {
            active |= slot.Tick();
        }

        if (!active)
        {
            return false;
        }

        foreach (Action<TimeSpan> onTick in Volatile.Read(ref _watched))
        {
            try
            {
                onTick(sinceLastTick);
            }
            catch (Exception)
            {
                // The owner logs it if it can, and is called again at the next tick. The monitor serves all servers of
                // the process, so one failure must not cost the others their tick.
            }
        }

        return true;
    }

    /// <summary>
    /// Goes to sleep unless a run has begun meanwhile. For speed, a thread that begins a run writes its slot and then
    /// reads the flag without a barrier. This method puts the barrier into all threads: either they see the flag, or
    /// the monitor sees their run.
    /// </summary>
    internal bool TryFallAsleep()
    {
        AnnounceSleep();
        Interlocked.MemoryBarrierProcessWide();
        return ConfirmSleep();
    }

    /// <summary>First step of <see cref="TryFallAsleep"/>: a run that begins now calls <see cref="Wake"/>.</summary>
    internal void AnnounceSleep() => Volatile.Write(ref _asleep, true);

    /// <summary>The deciding step of <see cref="Wake"/>. True if the caller must wake the thread.</summary>
    internal bool TryWake() => Interlocked.Exchange(ref _asleep, false);

    /// <summary>Second step of <see cref="TryFallAsleep"/>. False if a run or a hold began before the first.</summary>
    internal bool ConfirmSleep()
    {
        bool hasReleases;
        lock (_lock)
        {
            hasReleases = _nextReleases.Count > 0;
        }

        if (hasReleases || Volatile.Read(ref _slots).Any(static slot => slot.HasRunSinceTick))
        {
            Volatile.Write(ref _asleep, false);
            return false;
        }

        return true;
    }

    private bool TryHaveThread()
    {
        lock (_lock)
        {
            return _threadStarted = _threadStarted || OwnThread.TryStart("FastCGI monitor", Run, startThread);
        }
    }

    private void Run()
    {
        int idleTicks = 0;
        long lastTick = Stopwatch.GetTimestamp();
        var thread = new LentThread();
        while (true)
        {
            if (_wake.WaitOne(TickMilliseconds))
            {
                // Woken when the monitor had just decided to stay awake. The tick would be too short to decide by.
                continue;
            }

            long now = Stopwatch.GetTimestamp();
            Ticking.Wait();
            idleTicks = Tick(Stopwatch.GetElapsedTime(lastTick, now)) ? 0 : idleTicks + 1;
            Ticking.Release();
            thread.Return();
            lastTick = now;
            if (idleTicks >= IdleTicksUntilSleep && TryFallAsleep())
            {
                _wake.WaitOne();
                idleTicks = 0;
                lastTick = Stopwatch.GetTimestamp();
            }
        }
    }

    /// <summary>Releases the holds of the last tick. True if there were any.</summary>
    private bool Release()
    {
        lock (_lock)
        {
            (_nextReleases, _dueReleases) = (_dueReleases, _nextReleases);
        }

        foreach ((IHeldBytes bytes, int hold) in _dueReleases)
        {
            try
            {
                if (!bytes.TryRelease(hold))
                {
                    ReleaseAtNextTick(bytes, hold);
                }
            }
            catch (Exception)
            {
                // The end of the response fails in the same way and reports it. The monitor serves all responses.
            }
        }

        bool hadAny = _dueReleases.Count > 0;
        _dueReleases.Clear();
        return hadAny;
    }
}

/// <summary>Flushed bytes that are held back briefly, because more bytes are likely to leave with them.</summary>
internal interface IHeldBytes
{
    /// <summary>
    /// Ends the hold with this number and sends its bytes. Does nothing if the hold has ended. False if another thread
    /// uses the bytes right now: try again later. Called by the monitor, so it must not wait.
    /// </summary>
    bool TryRelease(int hold);
}
