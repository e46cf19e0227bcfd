using System.Diagnostics;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// Watches applications that keep their thread. It tells the run, so that what it flushed leaves, and the transport,
/// so that others are served meanwhile. Its thread ticks while something runs. When nothing does, it sleeps and costs
/// nothing.
/// </summary>
/// <param name="startThread">What starts the thread. Null: a background thread of its own.</param>
internal sealed class InlineRunMonitor(Action<ThreadStart>? startThread = null)
{
    private const int TickMilliseconds = 5;

    /// <summary>A tenth of a second without a run: waking the monitor costs more than a few idle ticks.</summary>
    private const int IdleTicksUntilSleep = 20;

    private readonly Lock _lock = new();
    private readonly AutoResetEvent _wake = new(initialState: false);

    // Under the lock; the two arrays are replaced as a whole, and the monitor's thread reads them without it.
    private readonly Stack<InlineRunSlot> _free = new();
    private InlineRunSlot[] _slots = [];
    private Action<TimeSpan>[] _watched = [];
    private bool _threadStarted;

    // True is written by the monitor's thread, false by the thread that begins a run.
    private bool _asleep = true;

    // Holds that end at the next tick at the latest. Most are over before: they are not taken out, because to release
    // them once more does nothing.
    // Under the lock. The two lists change places at each tick, so that nothing is allocated.
    private List<(IHeldBytes Bytes, int Hold)> _nextReleases = [];

    // The monitor's.
    private List<(IHeldBytes Bytes, int Hold)> _dueReleases = [];

    /// <summary>One for the process: a thread may serve connections of several servers.</summary>
    public static InlineRunMonitor Shared { get; } = new();

    /// <summary>The monitor does not tick: a thread that begins a run must call <see cref="Wake"/>.</summary>
    public bool IsAsleep => Volatile.Read(ref _asleep);

    /// <summary>Held for each tick. A test holds it to see what a run does without the monitor.</summary>
    internal SemaphoreSlim Ticking { get; } = new(1, 1);

    /// <summary>
    /// Begins to tick, unless it does already. Where the system has no thread to give, the next call asks again: a run
    /// does not fail for it.
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
    /// Calls the owner of threads that run applications, at each tick while runs are active, on the monitor's thread.
    /// What it throws is lost.
    /// </summary>
    public void Watch(Action<TimeSpan> onTick)
    {
        lock (_lock)
        {
            _watched = [.. _watched, onTick];
        }
    }

    /// <summary>Ends what <see cref="Watch"/> began; a call that is under way may still arrive.</summary>
    public void Unwatch(Action<TimeSpan> onTick)
    {
        lock (_lock)
        {
            _watched = [.. _watched.Where(watched => watched != onTick)];
        }
    }

    /// <summary>Ends a hold at the next tick, if it is not over by then.</summary>
    public void ReleaseAtNextTick(IHeldBytes bytes, int hold)
    {
        lock (_lock)
        {
            _nextReleases.Add((bytes, hold));
        }

        Wake();
    }

    /// <summary>A slot for a thread, a returned one if there is any.</summary>
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

    /// <summary>One look at everything. True: something runs, or has run since the last tick.</summary>
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
                // The owner logs what it can say about it, and is called again at the next tick. The monitor serves all
                // servers of the process: the failure of one costs no other its tick.
            }
        }

        return true;
    }

    /// <summary>
    /// Goes to sleep unless a run began meanwhile. A thread that begins a run writes it and then reads the flag
    /// without a barrier, for speed. The barrier is put into all threads from here: either they see the flag, or the
    /// monitor sees their run.
    /// </summary>
    internal bool TryFallAsleep()
    {
        AnnounceSleep();
        Interlocked.MemoryBarrierProcessWide();
        return ConfirmSleep();
    }

    /// <summary>First step of <see cref="TryFallAsleep"/>: a run that begins now calls <see cref="Wake"/>.</summary>
    internal void AnnounceSleep() => Volatile.Write(ref _asleep, true);

    /// <summary>The step of <see cref="Wake"/> that decides. True: the caller must wake the thread.</summary>
    internal bool TryWake() => Interlocked.Exchange(ref _asleep, false);

    /// <summary>Second step of <see cref="TryFallAsleep"/>: false if a run or a hold began before the first.</summary>
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

    private static void StartThread(ThreadStart run) =>
        new Thread(run) { IsBackground = true, Name = "FastCGI monitor" }.UnsafeStart();

    private bool TryHaveThread()
    {
        lock (_lock)
        {
            try
            {
                if (!_threadStarted)
                {
                    (startThread ?? StartThread)(Run);
                    _threadStarted = true;
                }
            }
            catch (OutOfMemoryException)
            {
                // There is no memory or no descriptor for a thread: each takes two descriptors.
            }

            return _threadStarted;
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
                // Woken just when the monitor had decided to stay awake. A tick now would be too short to judge by.
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

    /// <summary>Releases the holds that were added since the last tick. True: there was one.</summary>
    private bool Release()
    {
        lock (_lock)
        {
            (_nextReleases, _dueReleases) = (_dueReleases, _nextReleases);
        }

        foreach ((IHeldBytes bytes, int hold) in _dueReleases)
        {
            if (!TryRelease(bytes, hold))
            {
                ReleaseAtNextTick(bytes, hold);
            }
        }

        bool hadAny = _dueReleases.Count > 0;
        _dueReleases.Clear();
        return hadAny;
    }

    private static bool TryRelease(IHeldBytes bytes, int hold)
    {
        try
        {
            return bytes.TryRelease(hold);
        }
        catch (Exception)
        {
            // The end of the response fails in the same way, and reports it. The monitor serves all responses.
            return true;
        }
    }
}

/// <summary>Flushed bytes that are held back for a moment, because more is likely to leave with them.</summary>
internal interface IHeldBytes
{
    /// <summary>
    /// The hold with this name ends, and what it held leaves; nothing happens if it is over. False: another thread
    /// uses the bytes at this moment, so ask again later. The monitor calls it, so it must not wait.
    /// </summary>
    bool TryRelease(int hold);
}
