using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// The threads of one transport: their number, and which of them may leave. A thread may leave only if others are seen
/// to serve, so the last free one stays. At the limit there is one extra thread that only reads: the bytes or the abort
/// that the blocked threads wait for must still arrive.
/// </summary>
internal sealed partial class WorkerCrew
{
    /// <summary>Limit of the threads to query in one tick, because each query takes some microseconds.</summary>
    private const int MostAsked = 8;

    private readonly Lock _lock = new();
    private readonly WorkerGrowth _growth;
    private readonly IWorkerFactory _factory;
    private readonly ILogger _logger;

    // Under the lock.
    private readonly List<Member> _members = [];
    private IWorker? _reader;
    private bool _stopping;
    private bool _lacksThreads;
    private bool _hasWarnedOfLimit;

    // Written under the lock, read by each thread after each event.
    private volatile int _count;
    private volatile bool _hasSurplus;
    private volatile bool _runsAreShort;

    public WorkerCrew(WorkerGrowth growth, IWorkerFactory factory, ILogger logger)
    {
        _growth = growth;
        _growth.Watch(AreRunnable);
        _factory = factory;
        _logger = logger;
    }

    /// <summary>The current number of threads, including held ones.</summary>
    public int Count => _count;

    /// <summary>True if runs are so short that a thread may fetch several events at once.</summary>
    public bool RunsAreShort => _runsAreShort;

    /// <summary>True if a thread is not needed. Each surplus thread checks this after each event.</summary>
    public bool HasSurplus => _hasSurplus;

    /// <summary>Starts the first threads. Called once.</summary>
    public void Start()
    {
        lock (_lock)
        {
            Add(_growth.Least);
        }
    }

    /// <summary>
    /// Asks the threads to end. <paramref name="wakeAll"/> runs under the lock of the crew, so the last thread cannot
    /// leave earlier. False if they have been asked already.
    /// </summary>
    public bool TryStop(Action wakeAll)
    {
        lock (_lock)
        {
            if (_stopping)
            {
                return false;
            }

            _stopping = true;
            wakeAll();
            return true;
        }
    }

    public void OnTick(TimeSpan sinceLastTick)
    {
        Action? log = null;
        lock (_lock)
        {
            int waiting = 0;
            int held = 0;
            long ended = 0;
            foreach (Member member in _members)
            {
                member.Look(sinceLastTick, out bool isWaiting, out long endedHere);
                waiting += isWaiting ? 1 : 0;
                held += member.IsHeld ? 1 : 0;
                ended += endedHere;
            }

            int free = _members.Count - held;
            _runsAreShort = WorkerHiring.AreShort(free, ended, sinceLastTick);
            int wanted = _growth.Decide(_members.Count, waiting, ended, sinceLastTick, held);
            _hasSurplus = wanted < 0 || (_reader is not null && !_growth.IsAtLimit);
            if (!_stopping)
            {
                log = Adjust(wanted);
            }
        }

        // Outside the lock, because loggers are user code.
        log?.Invoke();
    }

    /// <summary>
    /// A surplus thread asks to leave, because it had no work for its whole wait or a thread is not needed. True if it
    /// must leave.
    /// </summary>
    public bool TryRetire(IWorker worker)
    {
        lock (_lock)
        {
            _hasSurplus = false;
            if (worker == _reader && !_stopping && !_growth.IsAtLimit)
            {
                _reader = null;
                return true;
            }

            // The others that wait, or have made progress since the last tick of the monitor.
            int others = _members.Count(member => member.Worker != worker && member.Serves);
            if (worker == _reader || _stopping || others < _growth.Least)
            {
                return false;
            }

            Remove(worker);
            _growth.OnRetired();
            return true;
        }
    }

    /// <summary>Called when a thread leaves because of the stop.</summary>
    public void OnStopped(IWorker worker)
    {
        lock (_lock)
        {
            if (worker == _reader)
            {
                _reader = null;
            }
            else if (!Remove(worker))
            {
                return;
            }

            if (_members.Count > 0 || _reader is not null)
            {
                return;
            }
        }

        _factory.OnLastStopped();
    }

    [LoggerMessage(LogEvents.WorkersAdded, LogLevel.Debug,
        "{Added} threads are added because applications hold or fill the others: {Count} now.")]
    private static partial void WorkersAdded(ILogger logger, int added, int count);

    [LoggerMessage(LogEvents.WorkersLacking, LogLevel.Warning,
        "The system gives no further thread for now; {Count} go on.")]
    private static partial void WorkersLacking(ILogger logger, int count, Exception exception);

    [LoggerMessage(LogEvents.WorkersAtLimit, LogLevel.Warning,
        "{Count} threads are in use, the most that the server starts, and applications hold them. Requests wait until "
        + "a handler returns. Handlers that wait should await instead of blocking.")]
    private static partial void WorkersAtLimit(ILogger logger, int count);

    /// <summary>True if this many serving threads compute or wait for a processor. Under the lock, in a tick.</summary>
    private bool AreRunnable(int count) => _members
        .Where(static member => !member.Worker.IsWaiting)
        .Take(MostAsked)
        .Where(static member => member.Worker.IsRunnable())
        .Take(count)
        .Count() == count;

    private bool Remove(IWorker worker)
    {
        bool wasThere = _members.RemoveAll(member => member.Worker == worker) > 0;
        _count = _members.Count;
        return wasThere;
    }

    /// <summary>Starts threads. Returns the log entries; of consecutive failures, only the first has one.</summary>
    private Action? Adjust(int wanted)
    {
        Action? log = _growth.IsAtLimit && !_hasWarnedOfLimit ? () => WorkersAtLimit(_logger, _count) : null;
        _hasWarnedOfLimit = _growth.IsAtLimit || (_hasWarnedOfLimit && _members.Count == _growth.Most);
        bool needsReader = _growth.IsAtLimit && _reader is null;
        if (wanted <= 0 && !needsReader)
        {
            return log;
        }

        try
        {
            Add(wanted);
            if (needsReader)
            {
                _reader = _factory.Start(isSurplus: true, onlyReads: true);
            }

            _lacksThreads = false;
            int added = wanted;
            log = added > 0 ? (() => WorkersAdded(_logger, added, _count)) + log : log;
        }
        catch (OutOfMemoryException exception)
        {
            // The process has no memory or no descriptor for a thread. The next tick tries again.
            log = (_lacksThreads ? null : () => WorkersLacking(_logger, _count, exception)) + log;
            _lacksThreads = true;
        }

        return log;
    }

    private void Add(int count)
    {
        for (int i = 0; i < count; i++)
        {
            // Added to the list at once: to leave again, the thread needs the lock that is held here.
            _members.Add(new Member(_factory.Start(isSurplus: _members.Count >= _growth.Least)));
            _count = _members.Count;
        }
    }

    /// <summary>One thread and its state at the last ticks. Under the lock of the crew.</summary>
    internal sealed class Member(IWorker worker)
    {
        /// <summary>
        /// Four ticks. Handlers that block for a few milliseconds are load, which needs more threads at once. A thread
        /// that is held longer is out of service and is replaced.
        /// </summary>
        private static readonly TimeSpan s_shortestHold = TimeSpan.FromMilliseconds(20);

        // No thread has this value: the first look only begins the measurement.
        private long _progress = -1;
        private long _endedRuns = worker.EndedRuns;
        private TimeSpan _unchanged;

        public IWorker Worker => worker;

        /// <summary>True if the thread has been in the same run for so long that it does not serve others.</summary>
        public bool IsHeld => _unchanged >= s_shortestHold;

        /// <summary>True if the thread waits, or has made progress since the last look.</summary>
        public bool Serves => worker.IsWaiting || worker.Progress != _progress;

        public void Look(TimeSpan sinceLastTick, out bool isWaiting, out long ended)
        {
            isWaiting = worker.IsWaiting;
            long endedRuns = worker.EndedRuns;
            ended = Math.Max(endedRuns - _endedRuns, 0);
            _endedRuns = endedRuns;
            long progress = worker.Progress;
            _unchanged = isWaiting || progress != _progress ? TimeSpan.Zero : _unchanged + sinceLastTick;
            _progress = progress;
            if (!isWaiting && ended == 0)
            {
                worker.GiveBackBatch();
            }
        }
    }
}

/// <summary>A thread of a <see cref="WorkerCrew"/>: waits for an event, serves it, and waits again.</summary>
internal interface IWorker
{
    /// <summary>True if the thread is free for an event. A thread that has not begun yet counts as free.</summary>
    bool IsWaiting { get; }

    /// <summary>Changes whenever the thread begins or ends a wait or a run. Any thread may read it.</summary>
    long Progress { get; }

    /// <summary>The number of runs that ended on this thread.</summary>
    long EndedRuns { get; }

    /// <summary>
    /// True if the thread computes or waits for a processor. False if it waits for something else, or if the system
    /// does not tell. Any thread may call it.
    /// </summary>
    bool IsRunnable();

    /// <summary>Lets other threads take the events that this one has fetched and not begun. Any thread.</summary>
    void GiveBackBatch();
}

/// <summary>Creates the threads of a <see cref="WorkerCrew"/>.</summary>
internal interface IWorkerFactory
{
    /// <summary>Starts a thread. Throws <see cref="OutOfMemoryException"/> if the system cannot create one.</summary>
    /// <param name="isSurplus">True if the thread asks to leave after a wait without events.</param>
    /// <param name="onlyReads">True if the thread only reads, and others run the requests that become ready.</param>
    IWorker Start(bool isSurplus, bool onlyReads = false);

    /// <summary>Called when the last thread has left after the stop.</summary>
    void OnLastStopped();
}
