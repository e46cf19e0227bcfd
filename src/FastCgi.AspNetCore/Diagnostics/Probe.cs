namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// A hook for the fuzzer. On a thread that has a probe, the probe takes the work for the thread pool, and may run other
/// work before the thread takes a lock. It also counts the transitions of the state tables.
/// </summary>
/// <remarks>
/// Off unless the runtime configuration of the process sets <see cref="Switch"/>. The JIT compiles a static read-only
/// field as a constant, so a server without the switch pays nothing.
/// </remarks>
internal abstract class Probe
{
    public const string Switch = "FastCgi.AspNetCore.Probe";

    /// <summary>Size of a table, larger than the number of events in any table.</summary>
    public const int MostEvents = 16;

    public static readonly bool IsOn = AppContext.TryGetSwitch(Switch, out bool isOn) && isOn;

    [ThreadStatic]
    private static Probe? t_current;

    // By table, phase and event. Written without a lock, because they are only read as "never" or "about how often".
    private static readonly int[][] s_transitions =
        IsOn ? [.. Enum.GetValues<StateTable>().Select(static _ => new int[MostEvents * MostEvents])] : [];

    /// <summary>The probe of this thread, or null.</summary>
    public static Probe? Current
    {
        get => IsOn ? t_current : null;
        set => t_current = value;
    }

    /// <summary>
    /// The options for a task that another request's thread completes. With a probe, continuations run in the step that
    /// completes the task, because the probe has no thread pool.
    /// </summary>
    public static TaskCreationOptions Continuations => IsOn && t_current is not null
        ? TaskCreationOptions.None
        : TaskCreationOptions.RunContinuationsAsynchronously;

    public static void Count(StateTable table, int phase, int happened)
    {
        if (IsOn)
        {
            s_transitions[(int)table][(phase * MostEvents) + happened]++;
        }
    }

    /// <summary>The number of times the event happened in the phase, in this process.</summary>
    public static int CountOf(StateTable table, int phase, int happened) =>
        s_transitions[(int)table][(phase * MostEvents) + happened];

    /// <summary>Restores the count after a test has read a table without a real transition.</summary>
    public static void SetCount(StateTable table, int phase, int happened, int count) =>
        s_transitions[(int)table][(phase * MostEvents) + happened] = count;

    /// <summary>Takes work of <see cref="PoolWork"/>. The probe decides when it runs.</summary>
    public abstract void Queue<TState>(Action<TState> action, TState state);

    /// <summary>Replaces a system call that takes time: the code that awaits it continues in another step.</summary>
    public virtual Task LaterAsync()
    {
        var later = new TaskCompletionSource();
        Queue(static later => later.SetResult(), later);
        return later.Task;
    }

    /// <summary>Called before this thread takes the lock. Another thread could run first.</summary>
    public abstract void BeforeLock(Lock taken);

    /// <summary>True to pretend that another thread holds a lock that this thread tries to take.</summary>
    public abstract bool FindsBusy();
}

/// <summary>The state tables of docs/architecture.md, whose transitions <see cref="Probe"/> counts.</summary>
internal enum StateTable
{
    Connection,
    Stage,
    Response,
    Hold,
    Body,
    Reader,
}
