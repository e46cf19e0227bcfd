using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// Readiness straight from the kernel: a few threads wait on one shared set, and the one that gets an event reads the
/// socket and runs the application right there. Waking another thread for it would cost several times what the whole
/// of a small request does.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class EpollTransport : ITransport, IWorkerFactory
{
    private readonly ILogger _logger;
    private readonly EpollSet _set;
    private readonly EventPolling _polling;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>
    /// So many threads serve; a held one is replaced beyond them. Null: one, and more while it is full or applications
    /// block.
    /// </summary>
    public EpollTransport(ILogger logger, int? workerCount = null)
    {
        _logger = logger;
        _set = new EpollSet();
        Targets = new EpollTargets(_set);
        _polling = new EventPolling(_set, Environment.ProcessorCount, TimeProvider.System);
        // What a thread spends on looking for events is free for others.
        var use = new ProcessorUse(
            Environment.ProcessorCount, () => Environment.CpuUsage.TotalTime - _polling.TimeLooked);
        var growth = new WorkerGrowth(use, workerCount);
        Crew = new WorkerCrew(growth, this, _logger);
        Crew.Start();
        InlineRunMonitor.Shared.Watch(Crew.OnTick);

        // Its thread starts now, while the system has one to give.
        InlineRunMonitor.Shared.Wake();
    }

    public int WorkerCount => Crew.Count;

    internal EpollTargets Targets { get; }

    internal WorkerCrew Crew { get; }

    /// <summary>Completes when the last thread has left and nothing of the transport is open any more.</summary>
    internal Task Ended => _ended.Task;

    public AcceptLoop NewAcceptLoop(
        Socket listening, AcceptFailures failures, Action<TransportConnection> onAccepted) =>
        new EpollAcceptLoop(Targets, listening, failures, onAccepted, _logger);

    /// <summary>
    /// Ends the threads: those that wait at once, one that runs an application when it returns. Does not wait for them.
    /// </summary>
    public void Dispose()
    {
        InlineRunMonitor.Shared.Unwatch(Crew.OnTick);
        Crew.TryStop(_set.WakeAll);
    }

    IWorker IWorkerFactory.Start(bool isSurplus, bool onlyReads)
    {
        var worker = new EpollWorker(Crew, _set, _polling, Targets, _logger)
        {
            IsSurplus = isSurplus,
            OnlyReads = onlyReads,
        };
        worker.Start();
        return worker;
    }

    void IWorkerFactory.OnLastStopped()
    {
        _set.Dispose();
        _ended.TrySetResult();
    }
}
