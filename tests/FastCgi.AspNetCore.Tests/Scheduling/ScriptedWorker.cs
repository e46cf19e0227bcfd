namespace FastCgi.AspNetCore.Tests.Scheduling;

/// <summary>A thread that does what the test says. It waits at first.</summary>
internal sealed class ScriptedWorker(bool isSurplus) : IWorker
{
    public bool IsSurplus => isSurplus;

    public bool OnlyReads { get; init; }

    public bool IsWaiting { get; private set; } = true;

    public long Progress { get; private set; }

    public long EndedRuns { get; private set; }

    public int BatchesGivenBack { get; private set; }

    /// <summary>It computes, or would if it had a processor.</summary>
    public bool WantsProcessor { get; set; }

    /// <summary>Takes an event whose run does not end before the test says so.</summary>
    public void Begin()
    {
        IsWaiting = false;
        Progress++;
    }

    /// <summary>Ends so many runs and begins the next one.</summary>
    public void EndRuns(int count)
    {
        IsWaiting = false;
        EndedRuns += count;
        Progress += count;
    }

    public void Wait()
    {
        IsWaiting = true;
        Progress++;
    }

    public bool IsRunnable() => WantsProcessor;

    public void GiveBackBatch() => BatchesGivenBack++;
}
