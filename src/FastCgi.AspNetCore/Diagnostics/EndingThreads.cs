namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// Threads of the server's own for what ends requests, and the server. In the thread pool it would wait behind the very
/// requests that wait for it. As a synchronization context, they run the steps of a stop.
/// </summary>
/// <remarks>
/// One for the process, and a few more while work keeps it. If these are kept too, the thread pool helps. Callbacks of
/// applications have threads of their own, so that one that blocks keeps no heartbeat and no stop.
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

    private EndingThreads()
    {
    }

    private static EndingThreads Shared { get; } = new();

    private static EndingThreads ForCallbacks { get; } = new();

    /// <summary>The first threads start now, while the system has some to give.</summary>
    public static void Prepare()
    {
        Shared.Add(static () => { }, isStep: false);
        ForCallbacks.Add(static () => { }, isStep: false);
    }

    /// <summary>For work of the server itself, which waits for no application.</summary>
    public static void Queue<TState>(Action<TState> action, TState state) => Queue(Shared, action, state);

    /// <summary>For callbacks of an application, which may block.</summary>
    public static void QueueCallbacks<TState>(Action<TState> action, TState state) =>
        Queue(ForCallbacks, action, state);

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

    private static void Queue<TState>(EndingThreads threads, Action<TState> action, TState state)
    {
        if (Probe.Current is { } probe)
        {
            probe.Queue(action, state);
        }
        else
        {
            threads.Add(() => action(state), isStep: false);
        }
    }

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
            if (_waiting.Count <= _idle)
            {
                return;
            }

            needsThread = _threads < Most;
            _threads += needsThread ? 1 : 0;
        }

        if (!needsThread || !TryStart())
        {
            // Once for each work that waits, since those before it may keep their threads of the pool too.
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
