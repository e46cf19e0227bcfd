namespace FastCgi.Client;

/// <summary>A task that goes on though nobody waits for it any more.</summary>
internal static class AbandonedTask
{
    /// <summary>Looks at the exception of the task, which is otherwise raised as an unobserved one.</summary>
    public static void Observe(Task task) => task.ContinueWith(
        static task => _ = task.Exception,
        CancellationToken.None,
        TaskContinuationOptions.ExecuteSynchronously,
        TaskScheduler.Default);
}
