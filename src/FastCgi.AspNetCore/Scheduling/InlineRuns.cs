using System.Diagnostics.CodeAnalysis;
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

    [ThreadStatic]
    private static bool _onlyReads;

    /// <summary>This thread runs no application, since it is the last that reads.</summary>
    public static bool OnlyReads
    {
        get => _onlyReads;
        set => _onlyReads = value;
    }

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
        if (InlineRunMonitor.Shared.IsAsleep)
        {
            InlineRunMonitor.Shared.Wake();
        }
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
