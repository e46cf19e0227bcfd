namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// The seam of the fuzzer. On a thread that has one, the probe takes what would go to the thread pool, and may run
/// other work where the thread is about to take a lock. It also counts the transitions of the state tables.
/// </summary>
/// <remarks>
/// Off unless the runtime configuration of the process sets <see cref="Switch"/>. The JIT compiles a static read-only
/// field as a constant, so a server without the switch pays nothing.
/// </remarks>
internal abstract class Probe
{
    public const string Switch = "FastCgi.AspNetCore.Probe";

    /// <summary>Events of a table; no table has as many.</summary>
    public const int MostEvents = 16;

    public static readonly bool IsOn = AppContext.TryGetSwitch(Switch, out bool isOn) && isOn;

    [ThreadStatic]
    private static Probe? t_current;

    // By table, phase and event. Written without a lock: they are read as "never" or "how often, roughly".
    private static readonly int[][] s_transitions =
        IsOn ? [.. Enum.GetValues<StateTable>().Select(static _ => new int[MostEvents * MostEvents])] : [];

    /// <summary>The probe of this thread; null for none.</summary>
    public static Probe? Current
    {
        get => IsOn ? t_current : null;
        set => t_current = value;
    }

    /// <summary>
    /// How continuations of a task run that another request's thread completes. With a probe they run in the step that
    /// completes the task, since the thread pool is none of its steps.
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

    /// <summary>How often the event happened in the phase, in this process.</summary>
    public static int CountOf(StateTable table, int phase, int happened) =>
        s_transitions[(int)table][(phase * MostEvents) + happened];

    /// <summary>Sets the count back after a look at a table that took no transition.</summary>
    public static void SetCount(StateTable table, int phase, int happened, int count) =>
        s_transitions[(int)table][(phase * MostEvents) + happened] = count;

    /// <summary>The work of <see cref="PoolWork"/> is the probe's to run.</summary>
    public abstract void Queue<TState>(Action<TState> action, TState state);

    /// <summary>In place of a call to the system that takes its time: what awaits it goes on in another step.</summary>
    public virtual Task LaterAsync()
    {
        var later = new TaskCompletionSource();
        Queue(static later => later.SetResult(), later);
        return later.Task;
    }

    /// <summary>This thread is about to take the lock. Another thread could run first.</summary>
    public abstract void BeforeLock(Lock taken);

    /// <summary>A lock that this thread only tries to take is another thread's at this moment.</summary>
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
    Upgrade,
}
