namespace FastCgi.AspNetCore.Scheduling;

/// <summary>Threads that run applications inline, and whose number somebody may want to change.</summary>
internal interface IInlineThreads
{
    /// <summary>Called on the monitor's thread at each tick while runs are active. It must not throw.</summary>
    void OnTick(TimeSpan sinceLastTick);
}
