namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// Threads of the server's own for ending requests and stopping the server. In the thread pool, this work would wait
/// behind the requests that wait for it. As a synchronization context, they run the steps of a stop.
/// </summary>
/// <remarks>
/// The process has one, and a few more while work blocks it. If these are blocked too, the thread pool helps. An
/// application's callbacks have separate threads, so that a callback that blocks delays no heartbeat and no stop.
/// </remarks>
internal sealed partial class EndingThreads : SynchronizationContext
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

    /// <summary>Starts the first threads now, while the system can still create them.</summary>
    public static void Prepare()
    {
        Shared.Add(static () => { }, isStep: false);
        ForCallbacks.Add(static () => { }, isStep: false);
    }

    /// <summary>Queues work of the server itself. It must not wait for an application.</summary>
    public static void Queue<TState>(Action<TState> action, TState state) => Queue(Shared, action, state);

    /// <summary>
    /// Cancels on another thread: an application's callbacks, which may block, never run on the thread that found the
    /// reason, and their exceptions end nothing. Takes the source itself, because its owner may already serve another
    /// request.
    /// </summary>
    public static void Cancel(CancellationTokenSource source, ILogger logger) =>
        Queue(ForCallbacks, CancelNow, (source, logger));

    /// <summary>
    /// Runs <paramref name="steps"/> on these threads, including the code after its awaits unless they opt out. Code
    /// that awaits the returned task also continues here.
    /// </summary>
    public static Task RunAsync(Func<Task> steps)
    {
        var ended = new TaskCompletionSource();
        Shared.Add(RunSteps, isStep: true);
        return ended.Task;

        async void RunSteps()
        {
            try
            {
                await steps();

                // Completed without a context, so that the continuation can run on this thread.
                SetSynchronizationContext(null);
                ended.SetResult();
            }
            catch (Exception exception)
            {
                SetSynchronizationContext(null);
                ended.SetException(exception);
            }
        }
    }

    public override void Post(SendOrPostCallback d, object? state) => Add(() => d(state), isStep: true);

    public override SynchronizationContext CreateCopy() => this;

    private static void CancelNow((CancellationTokenSource Source, ILogger Logger) state)
    {
        try
        {
            state.Source.Cancel();
        }
        catch (Exception exception)
        {
            TokenCallbackFailed(state.Logger, exception);
        }
    }

    [LoggerMessage(LogEvents.TokenCallbackFailed, LogLevel.Error,
        "A callback of RequestAborted, or of another token of the server, threw.")]
    private static partial void TokenCallbackFailed(ILogger logger, Exception exception);

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
            // Once per waiting work item, because earlier items may block their pool threads too.
            ThreadPool.UnsafeQueueUserWorkItem(static threads => threads.Run(waits: false), this, preferLocal: false);
        }
    }

    private bool TryStart()
    {
        bool isStarted = OwnThread.TryStart("FastCGI ends", () => Run(waits: true));
        if (!isStarted)
        {
            lock (_lock)
            {
                _threads--;
            }
        }

        return isStarted;
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
