namespace FastCgi.FuzzTests.Harness;

/// <summary>Threads of the pool that exist and wait: a while goes by before it starts another.</summary>
public static class SpareThreads
{
    /// <summary>Returns when so many threads have run at the same time.</summary>
    public static void Start(int count)
    {
        ThreadPool.GetMinThreads(out var workers, out var completions);
        ThreadPool.SetMinThreads(Math.Max(count, workers), completions);
        var allRun = new CountdownEvent(count);
        var left = new CountdownEvent(count);
        for (var i = 0; i < count; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    allRun.Signal();
                    allRun.Wait();
                    left.Signal();
                },
                state: null);
        }

        left.Wait();
        ThreadPool.SetMinThreads(workers, completions);
    }
}
