namespace FastCgi.AspNetCore.Tests.Scheduling;

/// <summary>A crew of scripted threads on two processors and a scripted clock.</summary>
internal sealed class ScriptedCrew : IWorkerFactory
{
    public const int Processors = 2;

    /// <summary>
    /// After so many ticks without progress the monitor takes a thread for held, and knows of idle processors.
    /// </summary>
    public const int TicksUntilReplaced = 6;

    private TimeSpan _processorTime;

    public ScriptedCrew(int? pinned = null)
    {
        var use = new ProcessorUse(Processors, () => _processorTime);
        Crew = new WorkerCrew(new WorkerGrowth(use, pinned), this, Log.CreateLogger("crew"));
        Crew.Start();
    }

    public static TimeSpan TickLength { get; } = TimeSpan.FromMilliseconds(5);

    public WorkerCrew Crew { get; }

    public LogRecorder Log { get; } = new();

    /// <summary>All that were ever started, in order.</summary>
    public List<ScriptedWorker> Workers { get; } = [];

    /// <summary>The system has no thread to give: no memory, or no descriptor.</summary>
    public bool LacksThreads { get; set; }

    public bool HasEnded { get; private set; }

    /// <summary>These threads are held until the monitor has replaced them; all that wait, if none is named.</summary>
    public void Hold(params ScriptedWorker[] workers)
    {
        Array.ForEach(
            workers.Length > 0 ? workers : [.. Workers.Where(static worker => worker.IsWaiting)],
            static worker => worker.Begin());
        Tick(TicksUntilReplaced);
    }

    /// <summary>Ticks of the monitor, in which the process uses so many processors.</summary>
    public void Tick(int count = 1, double used = 0)
    {
        for (var i = 0; i < count; i++)
        {
            _processorTime += TickLength * used;
            Crew.OnTick(TickLength);
        }
    }

    IWorker IWorkerFactory.Start(bool isSurplus, bool onlyReads)
    {
        if (LacksThreads)
        {
            throw new InsufficientMemoryException();
        }

        var worker = new ScriptedWorker(isSurplus) { OnlyReads = onlyReads };
        Workers.Add(worker);
        return worker;
    }

    void IWorkerFactory.OnLastStopped() => HasEnded = true;
}
