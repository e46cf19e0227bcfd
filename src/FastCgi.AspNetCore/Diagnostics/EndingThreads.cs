namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// Threads of the server's own for what ends requests, and the server. In the thread pool it would wait behind the very
/// requests that wait for it. As a synchronization context, they run the steps of a stop.
/// </summary>
/// <remarks>
/// One for the process, and a few more while callbacks of applications keep it. If these are kept too, the thread pool
/// helps.
/// </remarks>
internal sealed class EndingThreads : SynchronizationContext
{
    private const int Most = 4;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    private readonly object _lock = new();

    // Under the lock.
    private readonly Queue<(Action Work, bool IsStep)> _waiting = new();
    private int _threads;
    private int _idle;
    private bool _poolHelps;

    private EndingThreads()
    {
    }

    private static EndingThreads Shared { get; } = new();

    /// <summary>The first thread starts now, while the system has one to give.</summary>
    public static void Prepare() => Shared.Add(static () => { }, isStep: false);

    public static void Queue<TState>(Action<TState> action, TState state)
    {
        if (Probe.Current is { } probe)
        {
            probe.Queue(action, state);
        }
        else
        {
            Shared.Add(() => action(state), isStep: false);
        }
    }

    /// <summary>
    /// Runs <paramref name="steps"/> here, and what follows its awaits too, unless they say otherwise. What awaits the
    /// task goes on here as well.
    /// </summary>
    public static Task RunAsync(Func<Task> steps)
    {
        var ended = new TaskCompletionSource();
        Shared.Add(async () => await RunAsync(steps, ended), isStep: true);
        return ended.Task;
    }

    public override void Post(SendOrPostCallback d, object? state) => Add(() => d(state), isStep: true);

    public override SynchronizationContext CreateCopy() => this;

    private static async Task RunAsync(Func<Task> steps, TaskCompletionSource ended)
    {
        try
        {
            await steps();

            // A task is completed in no context, so that what awaits it need not look for another thread.
            SetSynchronizationContext(null);
            ended.SetResult();
        }
        catch (Exception exception)
        {
            SetSynchronizationContext(null);
            ended.SetException(exception);
        }
    }

    private void Add(Action work, bool isStep)
    {
        bool needsThread;
        lock (_lock)
        {
            _waiting.Enqueue((work, isStep));
            Monitor.Pulse(_lock);
            bool isShort = _waiting.Count > _idle;
            needsThread = isShort && _threads < Most;
            if (!isShort || _poolHelps)
            {
                return;
            }

            if (needsThread)
            {
                _threads++;
            }
            else
            {
                _poolHelps = true;
            }
        }

        if (!needsThread || !TryStart())
        {
            ThreadPool.UnsafeQueueUserWorkItem(static threads => threads.Run(waits: false), this, preferLocal: false);
        }
    }

    private bool TryStart()
    {
        try
        {
            new Thread(() => Run(waits: true)) { IsBackground = true, Name = "FastCGI ends" }.UnsafeStart();
            return true;
        }
        catch (OutOfMemoryException)
        {
            // There is no memory or no descriptor for a thread.
            lock (_lock)
            {
                _threads--;
                _poolHelps = true;
            }

            return false;
        }
    }

    private void Run(bool waits)
    {
        var thread = new LentThread();
        while (TryTake(waits, out (Action Work, bool IsStep) next))
        {
            SetSynchronizationContext(next.IsStep ? this : null);
            next.Work();
            thread.Return();
        }
    }

    private bool TryTake(bool waits, out (Action Work, bool IsStep) next)
    {
        lock (_lock)
        {
            bool isPatient = waits;
            while (!_waiting.TryDequeue(out next))
            {
                if (!isPatient)
                {
                    _threads -= waits ? 1 : 0;
                    _poolHelps &= waits;
                    return false;
                }

                _idle++;
                isPatient = Monitor.Wait(_lock, s_patience) || _threads == 1;
                _idle--;
            }

            return true;
        }
    }
}
