namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// An application that continues on the thread that served its socket. The monitor counts it as a run. What it flushes
/// leaves at once, so the monitor has nothing to release.
/// </summary>
internal sealed class ContinuedRun : IInlineRun
{
    private static readonly ContinuedRun s_instance = new();

    private ContinuedRun()
    {
    }

    public static void Run(Action<object?> action, object? state)
    {
        InlineRuns.Begin(s_instance);
        try
        {
            action(state);
        }
        finally
        {
            InlineRuns.End();
        }
    }

    public void OnStillRunning()
    {
    }
}
