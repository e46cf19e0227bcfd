using System.ComponentModel;
using System.Net.Sockets;
using System.Runtime.Versioning;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// Readiness straight from the kernel: a few threads wait on one shared set, and whoever gets an event reads the socket
/// and runs the application right there. Waking another thread for it would cost several times what
/// the whole of a small request does.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed partial class EpollTransport : SocketTransport, IInlineThreads
{
    private readonly ILogger _logger;
    private readonly bool _isPinned;
    private readonly WorkerGrowth _growth;
    private readonly Lock _lock = new();
    private readonly List<EpollWorker> _workers = [];
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _stopping;
    private bool _hasSurplus;
    private int _batchSize = 1;
    private bool _lacksThreads;

    /// <param name="logger">For what fails on the transport's own threads.</param>
    /// <param name="workerCount">
    /// The number of waiting threads, kept whatever happens; null: one, and more while it is full or applications block.
    /// </param>
    public EpollTransport(ILogger logger, int? workerCount = null)
    {
        if (workerCount is { } count)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(count, 1, nameof(workerCount));
        }

        _logger = logger;
        _isPinned = workerCount is not null;
        Set = new EpollSet();
        BaseWorkerCount = workerCount ?? 1;
        _growth = new WorkerGrowth(Environment.ProcessorCount);
        lock (_lock)
        {
            AddWorkers(BaseWorkerCount);
        }

        InlineRunMonitor.Shared.Watch(this);
    }

    /// <summary>The threads that wait or run applications at this moment.</summary>
    public override int WorkerCount
    {
        get
        {
            lock (_lock)
            {
                return _workers.Count;
            }
        }
    }

    /// <summary>The threads that stay.</summary>
    public int BaseWorkerCount { get; }

    internal EpollSet Set { get; }

    internal EpollTargets Targets { get; } = new();

    /// <summary>The events that one thread may fetch at a time.</summary>
    internal int BatchSize => Volatile.Read(ref _batchSize);

    /// <summary>Completes when the last thread has left and nothing of the transport is open any more.</summary>
    internal Task Ended => _ended.Task;

    /// <inheritdoc/>
    public override AcceptLoop NewAcceptLoop(
        Socket listening, AcceptFailures failures, Action<TransportConnection> onAccepted) =>
        new EpollAcceptLoop(this, listening, failures, onAccepted, _logger);

    /// <summary>
    /// Ends the threads: those that wait at once, one that runs an application when it returns. Does not wait for them.
    /// </summary>
    public override void Dispose()
    {
        InlineRunMonitor.Shared.Unwatch(this);
        lock (_lock)
        {
            if (_stopping)
            {
                return;
            }

            // Under the lock: the last thread to leave closes what is written to here.
            _stopping = true;
            Set.WakeAll();
        }
    }

    /// <summary>Sees to it that nothing waits for a thread that an application keeps.</summary>
    void IInlineThreads.OnTick(TimeSpan sinceLastTick)
    {
        lock (_lock)
        {
            int waiting = 0;
            long ended = 0;
            foreach (EpollWorker worker in _workers)
            {
                bool isWaiting = worker.IsWaiting;
                long endedHere = worker.TakeEndedRuns();
                waiting += isWaiting ? 1 : 0;
                ended += endedHere;
                if (!isWaiting && endedHere == 0)
                {
                    worker.GiveBackBatch();
                }
            }

            Volatile.Write(ref _batchSize, EpollBatch.SizeAfter(_workers.Count, ended, sinceLastTick));
            if (!_isPinned)
            {
                Adjust(_growth.Decide(_workers.Count, waiting, ended, sinceLastTick));
            }
        }
    }

    internal void OnRegistrationFailed(int error) =>
        LogRegistrationFailed(_logger, new Win32Exception(error).Message);

    internal void OnWorkerFailed(Exception exception) => LogWorkerFailed(_logger, exception);

    /// <summary>One thread has nothing to do that the others would not do as well. Asked after each event.</summary>
    internal bool HasSurplus => Volatile.Read(ref _hasSurplus);

    /// <summary>A surplus thread had nothing to do for its whole wait, or there is one too many: the first to ask goes.</summary>
    internal bool TryRetire(EpollWorker worker)
    {
        lock (_lock)
        {
            _hasSurplus = false;
            return !_stopping && _workers.Count > BaseWorkerCount && _workers.Remove(worker);
        }
    }

    internal void OnWorkerStopped(EpollWorker worker)
    {
        lock (_lock)
        {
            if (!_workers.Remove(worker) || _workers.Count > 0)
            {
                return;
            }
        }

        Set.Dispose();
        _ended.TrySetResult();
    }

    [LoggerMessage(LogEvents.WorkerFailed, LogLevel.Error,
        "A thread of the transport met an exception and goes on.", EventName = nameof(LogEvents.WorkerFailed))]
    private static partial void LogWorkerFailed(ILogger logger, Exception exception);

    [LoggerMessage(LogEvents.RegistrationFailed, LogLevel.Error,
        "A connection is closed because the system does not watch its socket: {Reason}",
        EventName = nameof(LogEvents.RegistrationFailed))]
    private static partial void LogRegistrationFailed(ILogger logger, string reason);

    [LoggerMessage(LogEvents.WorkersAdded, LogLevel.Debug,
        "All threads are held by applications that wait: {Added} added, {Count} now.",
        EventName = nameof(LogEvents.WorkersAdded))]
    private static partial void LogWorkersAdded(ILogger logger, int added, int count);

    [LoggerMessage(LogEvents.WorkersLacking, LogLevel.Warning,
        "The system gives no further thread for now; {Count} go on.", EventName = nameof(LogEvents.WorkersLacking))]
    private static partial void LogWorkersLacking(ILogger logger, int count, Exception exception);

    /// <summary>Adds as many threads as are wanted, or lets one go. Under the lock.</summary>
    private void Adjust(int wanted)
    {
        Volatile.Write(ref _hasSurplus, wanted < 0);
        if (wanted <= 0 || _stopping)
        {
            return;
        }

        try
        {
            AddWorkers(wanted);
            _lacksThreads = false;
            LogWorkersAdded(_logger, wanted, _workers.Count);
        }
        catch (OutOfMemoryException exception)
        {
            // So says a thread for which there is no memory, or no descriptor. Asked again at the next tick.
            if (!_lacksThreads)
            {
                LogWorkersLacking(_logger, _workers.Count, exception);
            }

            _lacksThreads = true;
        }
    }

    private void AddWorkers(int count)
    {
        for (int i = 0; i < count; i++)
        {
            var worker = new EpollWorker(this, isSurplus: _workers.Count >= BaseWorkerCount);

            // It needs the lock to leave again, so it is in the list before.
            worker.Start();
            _workers.Add(worker);
        }
    }
}
