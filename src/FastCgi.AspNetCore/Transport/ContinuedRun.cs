namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// An application that goes on where its request's socket was served: a run for the monitor, which counts it. What it
/// flushes leaves at once, so there is nothing to let go.
/// </summary>
internal sealed class ContinuedRun : IInlineRun
{
    public static ContinuedRun Instance { get; } = new();

    public void OnStillRunning()
    {
    }
}
