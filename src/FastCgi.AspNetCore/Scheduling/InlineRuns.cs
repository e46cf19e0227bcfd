using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// Records that a thread runs an application: two thread-local writes for each request, no allocation, no lock. Works
/// for the threads of any transport.
/// </summary>
internal static class InlineRuns
{
    [ThreadStatic]
    private static InlineRunSlot? _slot;

    // Its finalizer gives back the slot of a thread that died.
    [ThreadStatic]
    private static SlotLease? _lease;

    /// <summary>This thread runs no application, since it is the last that reads.</summary>
    [field: ThreadStatic]
    public static bool OnlyReads { get; set; }

    /// <summary>
    /// An application starts on this thread, or continues: with null it holds nothing back that the monitor would
    /// release. Runs do not nest.
    /// </summary>
    public static void Begin(IInlineRun? run)
    {
        (_slot ?? RegisterThread()).Begin(run);
        if (InlineRunMonitor.Shared.IsAsleep)
        {
            InlineRunMonitor.Shared.Wake();
        }
    }

    /// <summary>The application returned, or left the thread at its first real await.</summary>
    public static void End() => _slot!.End();

    /// <summary>Has a run wait for <see cref="TryTakeWaiting"/>; after a tick the thread pool gets it.</summary>
    public static void Enqueue(IThreadPoolWorkItem run)
    {
        if (OnlyReads)
        {
            PoolWork.Queue(run);
            return;
        }

        RegisterThread().Enqueue(run);
        InlineRunMonitor.Shared.Wake();
    }

    /// <summary>Takes the work that waits for this thread, if there is any.</summary>
    public static bool TryTakeWaiting([NotNullWhen(true)] out IThreadPoolWorkItem? next)
    {
        next = null;
        return _slot?.TryTakeWaiting(out next) == true;
    }

    /// <summary>The slot of this thread, made or recycled at the first call.</summary>
    public static InlineRunSlot RegisterThread()
    {
        if (_slot is null)
        {
            _slot = InlineRunMonitor.Shared.TakeSlot();
            _lease = new SlotLease(_slot);
        }

        return _slot;
    }

    /// <summary>
    /// For the fuzzer, which runs the work of another thread in the middle of this thread's: this thread has
    /// <paramref name="slot"/> until the result is put back.
    /// </summary>
    internal static InlineRunSlot Exchange(InlineRunSlot slot)
    {
        InlineRunSlot before = RegisterThread();
        _slot = slot;
        return before;
    }

    public static void ReleaseThread()
    {
        _lease?.Dispose();
        _lease = null;
        _slot = null;
    }

    private sealed class SlotLease(InlineRunSlot slot) : IDisposable
    {
        ~SlotLease() => InlineRunMonitor.Shared.ReturnSlot(slot);

        public void Dispose()
        {
            InlineRunMonitor.Shared.ReturnSlot(slot);
            GC.SuppressFinalize(this);
        }
    }
}

/// <summary>An application's code running on the thread that received its request.</summary>
internal interface IInlineRun
{
    /// <summary>
    /// The run has held its thread for a whole tick of the monitor, so what it flushed must not wait for its end.
    /// Called on the monitor's thread at any moment, even just after the run has ended: it must be harmless then.
    /// Called again at each tick while the run goes on. What it throws is lost.
    /// </summary>
    void OnStillRunning();
}

/// <summary>
/// The run of one thread. Only its thread writes, without interlocked operations; the monitor reads at any
/// moment and compares versions. The version is odd while a run is under way. Runs that became ready together wait here
/// for their turn, and go to the thread pool when they have waited for a whole tick.
/// </summary>
internal sealed class InlineRunSlot
{
    private readonly Lock _lock = new();

    // Under the lock. Only the slot's thread adds, so it may look whether the queue is empty without the lock.
    private readonly Queue<IThreadPoolWorkItem> _waiting = new();

    // Written by the slot's thread, read by the monitor.
    private IInlineRun? _run;
    private long _version;

    // The monitor's own.
    private long _versionAtLastTick;
    private bool _hadWaitingAtLastTick;

    /// <summary>A run began or ended since the monitor looked. The monitor's.</summary>
    public bool HasRunSinceTick => Volatile.Read(ref _version) != _versionAtLastTick;

    /// <summary>Changes whenever a run begins or ends.</summary>
    public long Version => Volatile.Read(ref _version);

    /// <summary>The runs that ended in this slot, whichever threads had it.</summary>
    public long EndedRuns => Volatile.Read(ref _version) >> 1;

    /// <summary>Has a run wait until this thread is free.</summary>
    public void Enqueue(IThreadPoolWorkItem run)
    {
        lock (_lock)
        {
            _waiting.Enqueue(run);
        }
    }

    /// <summary>The next run that waits, unless the monitor has given it away.</summary>
    public bool TryTakeWaiting([NotNullWhen(true)] out IThreadPoolWorkItem? next)
    {
        if (_waiting.Count == 0)
        {
            // After nearly every request. Only this thread adds, so it cannot miss one.
            next = null;
            return false;
        }

        lock (_lock)
        {
            return _waiting.TryDequeue(out next);
        }
    }

    public void Begin(IInlineRun? run)
    {
        _run = run;
        Volatile.Write(ref _version, _version + 1);
    }

    public void End()
    {
        Volatile.Write(ref _version, _version + 1);
        _run = null;
    }

    /// <summary>Tells a run that was there at the last tick. True: something runs, or has run since.</summary>
    public bool Tick()
    {
        long version = Volatile.Read(ref _version);
        bool hasRun = version != _versionAtLastTick;
        bool isRunning = (version & 1) != 0;
        if (isRunning && !hasRun)
        {
            IInlineRun? run = Volatile.Read(ref _run);
            if (run is not null && Volatile.Read(ref _version) == version)
            {
                try
                {
                    run.OnStillRunning();
                }
                catch (Exception)
                {
                    // What fails here fails again in the run itself, which reports it. The monitor serves all runs.
                }
            }
        }

        _versionAtLastTick = version;
        lock (_lock)
        {
            while (_hadWaitingAtLastTick && _waiting.TryDequeue(out IThreadPoolWorkItem? waiting))
            {
                PoolWork.Queue(waiting);
            }

            _hadWaitingAtLastTick = _waiting.Count > 0;
        }

        return hasRun || isRunning;
    }
}
