namespace FastCgi.AspNetCore.Scheduling;

/// <summary>Makes the threads of a <see cref="WorkerCrew"/>.</summary>
internal interface IWorkerFactory
{
    /// <summary>
    /// Starts a thread. Throws <see cref="OutOfMemoryException"/> if the system has none to give.
    /// </summary>
    /// <param name="isSurplus">The thread asks to leave when it has waited for a while in vain.</param>
    /// <param name="onlyReads">The thread reads, and others run what becomes ready by that.</param>
    IWorker Start(bool isSurplus, bool onlyReads = false);

    /// <summary>The last thread has left after the stop.</summary>
    void OnLastStopped();
}
