namespace FastCgi.Client.Tests.Harness;

/// <summary>The exceptions of tasks that nobody has looked at.</summary>
internal static class UnobservedExceptions
{
    /// <summary>Fails if one with that message is found after <paramref name="use"/>, which must keep no task.</summary>
    public static async Task AssertNoneAsync(string message, Func<Task> use)
    {
        int unobserved = 0;
        EventHandler<UnobservedTaskExceptionEventArgs> count = (_, e) =>
            unobserved += e.Exception.ToString().Contains(message, StringComparison.Ordinal) ? 1 : 0;
        TaskScheduler.UnobservedTaskException += count;
        try
        {
            // On another thread: frames on the stack of this one would keep the tasks alive.
            await Task.Run(use);
            await Task.Yield();
            for (int i = 0; i < 3; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
        }
        finally
        {
            TaskScheduler.UnobservedTaskException -= count;
        }

        Assert.Equal(0, unobserved);
    }
}
