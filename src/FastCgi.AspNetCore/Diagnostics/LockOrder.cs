using System.Diagnostics;

namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// Takes the locks of a connection. A Debug build asserts their order: a thread that holds a lock takes only locks of a
/// later rank.
/// </summary>
internal static class LockOrder
{
#if DEBUG
    // The lock of each rank that this thread took last. It may no longer hold it.
    [ThreadStatic]
    private static Lock?[]? s_taken;
#endif

    /// <summary>Takes the lock until the result is disposed.</summary>
    public static Lock.Scope Enter(Lock taken, LockRank rank)
    {
        Check(taken, rank);
        Probe.Current?.BeforeLock(taken);
        return taken.EnterScope();
    }

    /// <summary>Takes the lock if it is free. If true, the caller must call <see cref="Lock.Exit"/>.</summary>
    public static bool TryEnter(Lock taken)
    {
        Probe.Current?.BeforeLock(taken);
        return Probe.Current?.FindsBusy() != true && taken.TryEnter();
    }

    /// <summary>Checks the order before the lock is taken by a call that may wait for it.</summary>
    [Conditional("DEBUG")]
    public static void Check(Lock taken, LockRank rank)
    {
#if DEBUG
        s_taken ??= new Lock?[Enum.GetValues<LockRank>().Length];
        for (int held = (int)rank; held < s_taken.Length; held++)
        {
            Debug.Assert(
                s_taken[held] is not { IsHeldByCurrentThread: true } other || other == taken,
                $"A lock of rank {rank} is taken under another one of rank {(LockRank)held}.");
        }

        s_taken[(int)rank] = taken;
#endif
    }
}

/// <summary>The place of a lock in the lock order of docs/architecture.md.</summary>
internal enum LockRank
{
    Gate,

    /// <summary>The lock of a body or of a response. A thread holds only one of them at a time.</summary>
    Request,

    /// <summary>The lock of a send queue.</summary>
    Output,

    Transport,
}
