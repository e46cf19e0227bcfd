using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// Readiness directly from the kernel: a few threads wait on one shared set. The thread that gets an event reads the
/// socket and runs the application itself. Waking another thread would cost several times as much as a whole small
/// request.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class EpollTransport : ITransport, IWorkerFactory
{
    private readonly ILogger _logger;
    private readonly EpollSet _set;
    private readonly EventPolling _polling;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>
    /// Starts the threads. With a number, this many serve, and held ones are replaced in addition. Null for one thread,
    /// and more while it is full or applications block.
    /// </summary>
    public EpollTransport(ILogger logger, int? workerCount = null)
    {
        _logger = logger;
        _set = new EpollSet();
        Targets = new EpollTargets(_set);
        _polling = new EventPolling(_set, Environment.ProcessorCount, TimeProvider.System);
        // The time that a thread spends looking for events is available to others.
        var use = new ProcessorUse(
            Environment.ProcessorCount, () => Environment.CpuUsage.TotalTime - _polling.TimeLooked);
        var growth = new WorkerGrowth(use, workerCount);
        Crew = new WorkerCrew(growth, this, _logger);
        Crew.Start();
        InlineRunMonitor.Shared.Watch(Crew.OnTick);

        // Starts its thread now, while the system can create one.
        InlineRunMonitor.Shared.Wake();
    }

    public int WorkerCount => Crew.Count;

    internal EpollTargets Targets { get; }

    internal WorkerCrew Crew { get; }

    /// <summary>Completes when the last thread has left and the transport has closed everything.</summary>
    internal Task Ended => _ended.Task;

    public AcceptLoop NewAcceptLoop(
        Socket listening, AcceptFailures failures, Action<TransportConnection> onAccepted) =>
        new EpollAcceptLoop(Targets, listening, failures, onAccepted, _logger);

    /// <summary>Ends waiting threads at once, and others when their application returns. Waits for none.</summary>
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
