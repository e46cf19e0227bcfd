namespace FastCgi.TestKit;

/// <summary>A call on a thread of its own that ought to wait for a lock which somebody holds.</summary>
public sealed class WaitingCall
{
    /// <summary>A call that the lock does not hold up has ended by then, whatever else it has waited for.</summary>
    private static readonly TimeSpan s_longEnough = TimeSpan.FromMilliseconds(50);

    private readonly Thread _thread;

    private WaitingCall(Action call) => _thread = new Thread(() => call()) { IsBackground = true };

    /// <summary>Returns when the call waits, or is over.</summary>
    public static WaitingCall Start(Action call)
    {
        var waiting = new WaitingCall(call);
        waiting._thread.Start();
        SpinWait.SpinUntil(() => waiting.HasStateOf(ThreadState.WaitSleepJoin | ThreadState.Stopped), Deadline.Default);
        waiting.HasWaited = !waiting._thread.Join(s_longEnough);
        return waiting;
    }

    /// <summary>False: the call went through while the lock was held.</summary>
    public bool HasWaited { get; private set; }

    /// <summary>The lock is free now. False: the call waits still.</summary>
    public bool Ends() => _thread.Join(Deadline.Default);

    private bool HasStateOf(ThreadState any) => (_thread.ThreadState & any) != 0;
}
