namespace FastCgi.AspNetCore.Scheduling;

/// <summary>Threads that run applications inline, and whose number may have to change.</summary>
internal interface IInlineThreads
{
    /// <summary>Called on the monitor's thread at each tick while runs are active. What it throws is lost.</summary>
    void OnTick(TimeSpan sinceLastTick);
}
