namespace FastCgi.AspNetCore.Scheduling;

/// <summary>An application's code running on the thread that received its request.</summary>
internal interface IInlineRun
{
    /// <summary>
    /// The run has held its thread for a whole tick of the monitor, so what it flushed must not wait for its end.
    /// Called on the monitor's thread at any moment, even just after the run has ended: it must be harmless then.
    /// Called again at each tick while the run goes on. What it throws is lost.
    /// </summary>
    void OnStillRunning();
}
