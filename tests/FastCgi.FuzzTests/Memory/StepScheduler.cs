using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.FuzzTests.Memory;

/// <summary>
/// Runs everything on one thread, one step after the other, in an order that the dice decide. Where a thread is about
/// to take a lock and holds none, steps of other threads may come in between: the present one is in the middle of its
/// work then, as if the system had taken the processor from it.
/// </summary>
internal sealed class StepScheduler : Probe, IThreads
{
    private const int MostThreads = 4;
    private const int MostSteps = 1_000_000;

    private static readonly InlineRunMonitor s_monitor = InlineRunMonitor.Shared;

    [ThreadStatic]
    private static InlineRunSlot[]? t_threads;

    private readonly Dice _dice;
    private readonly ExecutionContext? _clean = ExecutionContext.Capture();
    private readonly InlineRunSlot[] _threads = t_threads ??= NewThreads();
    private readonly int _preemptsOnceIn;
    private IStep[] _ready = new IStep[64];
    private int _readyCount;
    private Lock[] _locks = new Lock[16];
    private int _lockCount;
    private int _depth;
    private bool _isTicking;
    private int _rounds;

    /// <param name="preemptsOnceIn">At how many locks one is a place for other threads; 0 for none.</param>
    public StepScheduler(Dice dice, Trace trace, int preemptsOnceIn)
    {
        _dice = dice;
        _preemptsOnceIn = preemptsOnceIn;
        Trace = trace;
        Time.Advance(TimeSpan.FromSeconds(1));
    }

    public Trace Trace { get; }

    /// <summary>Stands still until nothing else can happen. The callback of a timer is a step among others.</summary>
    public ManualTimeProvider Time { get; } = new();

    /// <summary>Reads and writes of temporary files fail now and then.</summary>
    public bool IsDiskFull { get; init; }

    /// <summary>The first exception that left a step, where the process would have ended.</summary>
    public Exception? Escaped { get; private set; }

    /// <summary>Steps that were taken.</summary>
    public long Steps { get; private set; }

    /// <summary>This thread holds a lock of the server.</summary>
    public bool HoldsLock
    {
        get
        {
            while (_lockCount > 0 && !_locks[_lockCount - 1].IsHeldByCurrentThread)
            {
                _lockCount--;
            }

            return _lockCount > 0;
        }
    }

    public void Add(IStep step)
    {
        if (_readyCount == _ready.Length)
        {
            Array.Resize(ref _ready, _readyCount * 2);
        }

        _ready[_readyCount++] = step;
    }

    public override void Queue<TState>(Action<TState> action, TState state) =>
        Add(new QueuedWork<TState>(action, state));

    /// <summary>Goes to the next timer, if there is one.</summary>
    public void AdvanceTime()
    {
        if (Time.TakeNext() is { } callback)
        {
            Queue(static callback => callback(), callback);
        }
    }

    /// <summary>Another thread may come in between here. No lock may be held.</summary>
    public void MayPreempt()
    {
        if (_preemptsOnceIn > 0 && _readyCount > 0 && _depth < MostThreads - 1 && _dice.OnceIn(_preemptsOnceIn))
        {
            Preempt();
        }
    }

    public string? OnUserCode(Script? script, string where)
    {
        var error = HoldsLock ? $"code of the user runs under a lock of the server: {script}" : null;
        Trace.Tell(script?.Conversation.Seed ?? 0, $"application, {script?.Token}", where: where);
        MayPreempt();
        return error;
    }

    public override void BeforeLock(Lock taken)
    {
        if (!HoldsLock)
        {
            MayPreempt();
        }

        if (_lockCount == _locks.Length)
        {
            Array.Resize(ref _locks, _lockCount * 2);
        }

        _locks[_lockCount++] = taken;
    }

    public override bool FindsBusy() => _dice.OnceIn(16);

    public override Task LaterAsync() => IsDiskFull && _dice.OnceIn(3)
        ? Task.FromException(new IOException("No space left on device"))
        : base.LaterAsync();

    /// <summary>Takes steps until nothing is ready, and the monitor of inline runs has nothing to release.</summary>
    public void RunReady()
    {
        Current = this;
        do
        {
            while (TryStep())
            {
                if (Steps > MostSteps)
                {
                    Escaped ??= new InvalidOperationException($"After {Steps} steps there is no end to be seen.");
                    return;
                }

                if (_dice.OnceIn(64))
                {
                    TryTick();
                }
            }
        }
        while ((TryTick() || _readyCount > 0) && ++_rounds < MostSteps);
        Current = null;
    }

    /// <summary>The monitor has one thread: its tick may be interrupted, but not by itself.</summary>
    private bool TryTick()
    {
        if (_isTicking)
        {
            return false;
        }

        _isTicking = true;
        try
        {
            return s_monitor.Tick(TimeSpan.FromMilliseconds(5));
        }
        finally
        {
            _isTicking = false;
        }
    }

    private static InlineRunSlot[] NewThreads()
    {
        var threads = new InlineRunSlot[MostThreads];
        for (var i = 0; i < threads.Length; i++)
        {
            threads[i] = s_monitor.TakeSlot();
        }

        return threads;
    }

    private bool TryStep()
    {
        if (_readyCount == 0)
        {
            return false;
        }

        var index = _readyCount == 1 ? 0 : _dice.Below(_readyCount);
        Trace.Add(((ulong)index << 32) | (uint)_readyCount);
        var step = _ready[index];
        _ready[index] = _ready[--_readyCount];
        _ready[_readyCount] = null!;
        Steps++;
        try
        {
            step.Run();
        }
        catch (Exception exception)
        {
            Escaped ??= exception;
        }

        if (_clean is not null)
        {
            ExecutionContext.Restore(_clean);
        }

        return true;
    }

    private void Preempt()
    {
        var context = ExecutionContext.Capture();
        _depth++;
        var before = InlineRuns.Exchange(_threads[_depth]);
        ExecutionContext.Restore(_clean!);
        for (var steps = _dice.Between(1, 5); steps > 0 && TryStep(); steps--)
        {
            if (_dice.OnceIn(8))
            {
                TryTick();
            }
        }

        InlineRuns.Exchange(before);
        _depth--;
        _lockCount = 0;
        if (context is not null)
        {
            ExecutionContext.Restore(context);
        }
    }

    /// <summary>What the server gave to the thread pool.</summary>
    private sealed class QueuedWork<TState>(Action<TState> action, TState state) : IStep
    {
        public void Run() => action(state);
    }
}

/// <summary>Something that one thread would do next. It may wait for its turn several times over.</summary>
internal interface IStep
{
    void Run();
}
