namespace FastCgi.FuzzTests.Harness;

/// <summary>
/// Threads of the pool that exist already. Until the end of this object the pool starts no other one, however long work
/// waits.
/// </summary>
public sealed class SpareThreads : IDisposable
{
    private readonly int _mostWorkers;
    private readonly int _mostCompletions;

    /// <summary>Returns when so many threads have run at the same time.</summary>
    public SpareThreads(int count)
    {
        ThreadPool.GetMaxThreads(out _mostWorkers, out _mostCompletions);
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
        if (!ThreadPool.SetMaxThreads(Math.Max(count, workers), _mostCompletions))
        {
            throw new InvalidOperationException($"The pool cannot be kept to {count} threads.");
        }
    }

    public void Dispose() => ThreadPool.SetMaxThreads(_mostWorkers, _mostCompletions);
}
