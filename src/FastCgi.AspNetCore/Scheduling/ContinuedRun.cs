namespace FastCgi.AspNetCore.Scheduling;

/// <summary>
/// An application that goes on where its request's socket was served: a run for the monitor, which counts it. What it
/// flushes leaves at once, so there is nothing to let go.
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
