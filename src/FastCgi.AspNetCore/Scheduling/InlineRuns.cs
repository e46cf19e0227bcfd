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

    // Its finalizer returns the slot of a thread that has ended.
    [ThreadStatic]
    private static SlotLease? _lease;

    /// <summary>True if this thread must not run applications, because it is the last one that reads.</summary>
    [field: ThreadStatic]
    public static bool OnlyReads { get; set; }

    /// <summary>
    /// An application starts or continues on this thread. With null, it holds back no bytes that the monitor would have
    /// to release. Runs do not nest.
    /// </summary>
    public static void Begin(IInlineRun? run)
    {
        (_slot ?? RegisterThread()).Begin(run);
        if (InlineRunMonitor.Shared.IsAsleep)
        {
            InlineRunMonitor.Shared.Wake();
        }
    }

    /// <summary>The application has returned, or has left the thread at its first real await.</summary>
    public static void End() => _slot!.End();

    /// <summary>Queues a run for <see cref="TryTakeWaiting"/>. After a tick, the thread pool gets it.</summary>
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

    /// <summary>Takes the next run that waits for this thread, if any.</summary>
    public static bool TryTakeWaiting([NotNullWhen(true)] out IThreadPoolWorkItem? next)
    {
        next = null;
        return _slot?.TryTakeWaiting(out next) == true;
    }

    /// <summary>The slot of this thread, taken at the first call.</summary>
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
    /// For the fuzzer, which runs work of another thread in the middle of this thread's work. Gives
    /// <paramref name="slot"/> to this thread until the caller puts back the result.
    /// </summary>
    internal static InlineRunSlot Exchange(InlineRunSlot slot)
    {
        InlineRunSlot before = RegisterThread();
        _slot = slot;
        return before;
    }

    private sealed class SlotLease(InlineRunSlot slot)
    {
        ~SlotLease() => InlineRunMonitor.Shared.ReturnSlot(slot);
    }
}

/// <summary>An application's code running on the thread that received its request.</summary>
internal interface IInlineRun
{
    /// <summary>
    /// Called when the run has kept its thread for a whole tick of the monitor: its flushed bytes must not wait for its
    /// end. Called on the monitor's thread at any moment, even just after the end of the run; it must be harmless then.
    /// Called again at each tick during the run. Exceptions are ignored.
    /// </summary>
    void OnStillRunning();
}

/// <summary>
/// The run of one thread. Only its thread writes, without interlocked operations; the monitor reads at any moment and
/// compares versions. The version is odd during a run. Other runs that became ready at the same time wait here. After a
/// whole tick of waiting they go to the thread pool.
/// </summary>
internal sealed class InlineRunSlot
{
    private readonly Lock _lock = new();

    // Under the lock. Only the slot's thread adds, so it may check without the lock whether the queue is empty.
    private readonly Queue<IThreadPoolWorkItem> _waiting = new();

    // Written by the slot's thread, read by the monitor.
    private IInlineRun? _run;
    private long _version;

    // Used by the monitor only.
    private long _versionAtLastTick;
    private bool _hadWaitingAtLastTick;

    /// <summary>True if a run has begun or ended since the last tick. For the monitor.</summary>
    public bool HasRunSinceTick => Volatile.Read(ref _version) != _versionAtLastTick;

    /// <summary>Changes whenever a run begins or ends.</summary>
    public long Version => Volatile.Read(ref _version);

    /// <summary>The number of runs that ended in this slot, on any thread.</summary>
    public long EndedRuns => Volatile.Read(ref _version) >> 1;

    /// <summary>Queues a run until this thread is free.</summary>
    public void Enqueue(IThreadPoolWorkItem run)
    {
        lock (_lock)
        {
            _waiting.Enqueue(run);
        }
    }

    /// <summary>Takes the next waiting run, unless the monitor has moved it to the thread pool.</summary>
    public bool TryTakeWaiting([NotNullWhen(true)] out IThreadPoolWorkItem? next)
    {
        if (_waiting.Count == 0)
        {
            // The usual case. Only this thread adds, so it cannot miss a run.
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

    /// <summary>Notifies a run that has lasted since the last tick. True if something runs or has run since.</summary>
    public bool Tick()
    {
        long version = Volatile.Read(ref _version);
        bool hasRun = version != _versionAtLastTick;
        bool isRunning = (version & 1) != 0;
        if (isRunning && !hasRun && Volatile.Read(ref _run) is { } run && Volatile.Read(ref _version) == version)
        {
            try
            {
                run.OnStillRunning();
            }
            catch (Exception)
            {
                // The run itself fails in the same way and reports it. The monitor serves all runs.
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
