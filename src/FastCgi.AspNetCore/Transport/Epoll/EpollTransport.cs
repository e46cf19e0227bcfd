using System.Net.Sockets;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// Linux: readiness of our own. As many threads as cores wait on one shared set, and whoever is woken receives, parses,
/// runs the application and sends: no hand-over to another thread, which is what a small request mostly costs elsewhere.
/// While handlers block their threads, more are added.
/// </summary>
internal sealed partial class EpollTransport : SocketTransport, IInlineRunObserver
{
    private const int MaxWorkers = 1024;

    /// <summary>Fewer than this many requests a thread between two ticks: the threads are stuck in the application.</summary>
    private const int FewRequests = 4;

    private readonly Lock _lock = new();
    private readonly EpollSet _set = new();
    private readonly ConnectionSlots _slots = new();
    private readonly List<EpollWorker> _workers = [];
    private readonly ILogger _logger;
    private readonly bool _mayGrow;
    private long _endedBefore;
    private int _ticksStuck;
    private bool _stopped;

    /// <param name="workerCount">A number pins it; null starts with a thread for each core and adds to them.</param>
    /// <param name="logger">For what must not end a thread.</param>
    public EpollTransport(int? workerCount, ILogger logger)
    {
        _logger = logger;
        _mayGrow = workerCount is null;
        for (int i = 0; i < (workerCount ?? Environment.ProcessorCount); i++)
        {
            AddWorker(isSurplus: false);
        }

        if (_mayGrow)
        {
            InlineRuns.Observe(this);
        }
    }

    public static bool IsSupported => OperatingSystem.IsLinux();

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

    public override TransportConnection Adopt(Socket socket) => new EpollConnection(socket, _set, _slots);

    public override void Dispose()
    {
        EpollWorker[] workers;
        lock (_lock)
        {
            if (_stopped)
            {
                return;
            }

            _stopped = true;
            workers = [.. _workers];
        }

        InlineRuns.Forget(this);
        _set.Stop();
        if (Array.TrueForAll(workers, static worker => worker.TryJoin()))
        {
            // A thread that an application keeps for ever may still come back to wait: then the set stays.
            _set.Dispose();
        }
    }

    /// <summary>Every few milliseconds while applications run, on the monitor's thread.</summary>
    void IInlineRunObserver.OnTick()
    {
        lock (_lock)
        {
            long ended = 0;
            bool allBusy = !_stopped;
            foreach (EpollWorker worker in _workers)
            {
                ended += worker.Ended;
                allBusy &= worker.IsInApplication;
            }

            long endedSince = ended - _endedBefore;
            _endedBefore = ended;
            _ticksStuck = allBusy && endedSince < FewRequests * _workers.Count ? _ticksStuck + 1 : 0;

            // The longer it lasts, the more are added at once.
            for (int i = 0; i < _ticksStuck && i < 8 && _workers.Count < MaxWorkers; i++)
            {
                AddWorker(isSurplus: true);
            }
        }
    }

    internal EpollConnection? Find(ulong data) => _slots.Find(data);

    internal void OnWorkerEnded(EpollWorker worker)
    {
        lock (_lock)
        {
            _workers.Remove(worker);
            _endedBefore -= worker.Ended;
        }
    }

    [LoggerMessage(LogEvents.TransportEventFailed, LogLevel.Error, "A connection failed in the server itself and is closed.",
        EventName = nameof(LogEvents.TransportEventFailed))]
    internal static partial void LogEventFailed(ILogger logger, Exception exception);

    private void AddWorker(bool isSurplus)
    {
        var worker = new EpollWorker(this, _set, isSurplus, _logger);
        _workers.Add(worker);
        worker.Start();
    }
}
