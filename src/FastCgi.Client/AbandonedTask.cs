namespace FastCgi.Client;

/// <summary>A task that continues although nothing waits for it any more.</summary>
internal static class AbandonedTask
{
    /// <summary>Reads the exception of the task, which would otherwise be reported as unobserved.</summary>
    public static void Observe(Task task) => task.ContinueWith(
        static task => _ = task.Exception,
        CancellationToken.None,
        TaskContinuationOptions.ExecuteSynchronously,
        TaskScheduler.Default);
}
