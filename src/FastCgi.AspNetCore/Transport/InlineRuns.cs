namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// The applications that run on the threads which received their requests, and a monitor for those that keep their
/// thread: it lets what they flushed go, and tells the transport when all its threads are stuck. To begin and to end a
/// run is two plain writes; the monitor sleeps while nothing runs.
/// </summary>
internal static class InlineRuns
{
    private const int TickMilliseconds = 5;
    private const int IdleTicksBeforeSleep = 20;

    private static readonly Lock s_lock = new();
    private static readonly List<InlineRunSlot> s_slots = [];
    private static readonly List<IInlineRunObserver> s_observers = [];
    private static readonly AutoResetEvent s_wake = new(initialState: false);
    private static readonly AutoResetEvent s_never = new(initialState: false);

    [ThreadStatic]
    private static InlineRunSlot? t_slot;

    private static bool s_asleep = true;
    private static bool s_started;

    public static InlineRunSlot SlotOfThisThread => t_slot ?? Register();

    public static void Begin(IInlineRun run)
    {
        SlotOfThisThread.Begin(run);
        if (Volatile.Read(ref s_asleep))
        {
            Wake();
        }
    }

    public static void End() => SlotOfThisThread.End();

    public static void Observe(IInlineRunObserver observer)
    {
        lock (s_lock)
        {
            s_observers.Add(observer);
        }
    }

    public static void Forget(IInlineRunObserver observer)
    {
        lock (s_lock)
        {
            s_observers.Remove(observer);
        }
    }

    /// <summary>One tick of the monitor; true while anything runs.</summary>
    internal static bool Tick()
    {
        InlineRunSlot[] slots;
        IInlineRunObserver[] observers;
        lock (s_lock)
        {
            s_slots.RemoveAll(static slot => !slot.IsThreadAlive);
            slots = [.. s_slots];
            observers = [.. s_observers];
        }

        bool running = false;
        foreach (InlineRunSlot slot in slots)
        {
            running |= slot.IsRunning;
            slot.TakeLasting()?.OnStillRunning();
        }

        if (running)
        {
            foreach (IInlineRunObserver observer in observers)
            {
                observer.OnTick();
            }
        }

        return running;
    }

    private static InlineRunSlot Register()
    {
        var slot = new InlineRunSlot(Thread.CurrentThread);
        lock (s_lock)
        {
            s_slots.Add(slot);
        }

        t_slot = slot;
        return slot;
    }

    private static void Wake()
    {
        lock (s_lock)
        {
            if (!s_started)
            {
                s_started = true;
                new Thread(Watch) { IsBackground = true, Name = "FastCGI monitor" }.UnsafeStart();
            }

            s_asleep = false;
        }

        s_wake.Set();
    }

    private static void Watch()
    {
        for (int idle = 0; ;)
        {
            idle = Tick() ? 0 : idle + 1;
            if (idle < IdleTicksBeforeSleep)
            {
                s_never.WaitOne(TickMilliseconds);
                continue;
            }

            // Whoever begins a run from here on sees that we sleep; whoever began one before is seen by this tick.
            Volatile.Write(ref s_asleep, true);
            Interlocked.MemoryBarrierProcessWide();
            if (!Tick())
            {
                s_wake.WaitOne();
            }

            Volatile.Write(ref s_asleep, false);
            idle = 0;
        }
    }
}
