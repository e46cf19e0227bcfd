namespace FastCgi.AspNetCore.Scheduling;

/// <summary>One thread of a <see cref="WorkerCrew"/>: it waits for an event, serves it, and waits again.</summary>
internal interface IWorker
{
    /// <summary>The thread is free to take an event. A thread that has not begun yet counts as free.</summary>
    bool IsWaiting { get; }

    /// <summary>Changes whenever the thread begins or ends a wait or a run. Any thread may read it.</summary>
    long Progress { get; }

    /// <summary>The runs that ended on this thread.</summary>
    long EndedRuns { get; }

    /// <summary>
    /// The thread computes at this moment, or waits for a processor. False: it waits for something else, or the system
    /// does not tell. Any thread may call it.
    /// </summary>
    bool IsRunnable();

    /// <summary>Hands to other threads what this one has fetched and not begun. Any thread may call it.</summary>
    void GiveBackBatch();
}
