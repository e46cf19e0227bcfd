using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Requests;

/// <summary>The thread that the application runs on.</summary>
internal sealed partial class FastCgiRequest : IInlineRun, IThreadPoolWorkItem
{
    /// <summary>Another request of the same read had the receiving thread first: this one has its turn, or another thread.</summary>
    void IThreadPoolWorkItem.Execute() => RunInline();

    /// <summary>The application keeps this thread; what it flushed must not wait for its end.</summary>
    void IInlineRun.OnStillRunning() => _output.BreakHold();

    /// <summary>
    /// Runs the application on this thread until it ends or first really waits. What it flushed until then leaves in
    /// one send. After a run that ended, this object may already serve somebody else.
    /// </summary>
    public void RunInline()
    {
        int run = _output.BeginHold();
        InlineRuns.Begin(this);
        Task ended = _runner.RunAsync(this);
        InlineRuns.End();
        if (!ended.IsCompleted)
        {
            _output.EndHold(run);
        }
    }

    /// <summary>
    /// Runs on this thread what the application left to be done when more of its body has come, until that ends or really
    /// waits. As above, what it flushes leaves together.
    /// </summary>
    public void ContinueInline(Action<object?> action, object? state)
    {
        int run = _output.BeginHold();
        InlineRuns.Begin(this);
        try
        {
            action(state);
        }
        finally
        {
            InlineRuns.End();
            _output.EndHold(run);
        }
    }

    /// <summary>The application has left, its response and its callbacks are done.</summary>
    public void OnApplicationDone() => Slot.OnApplicationDone();

    /// <summary>
    /// Counts no more for MaxConcurrentRequests. Before the end is on the wire: a web server that sends no more at a time
    /// than are allowed sends the next one when it has seen that.
    /// </summary>
    private void StopRunning()
    {
        if (_countsAsRunning)
        {
            _countsAsRunning = false;
            _server.LeaveRunningRequests();
        }
    }
}
