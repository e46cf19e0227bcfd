namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>Work for the thread pool, which flows no execution context.</summary>
internal static class PoolWork
{
    public static void Queue(IThreadPoolWorkItem work)
    {
        if (Probe.Current is { } probe)
        {
            probe.Queue(static work => work.Execute(), work);
        }
        else
        {
            ThreadPool.UnsafeQueueUserWorkItem(work, preferLocal: false);
        }
    }

    /// <summary>Completes a source that was made with <see cref="Probe.Continuations"/>.</summary>
    public static void Complete(TaskCompletionSource source)
    {
        if (Probe.Current is { } probe)
        {
            probe.Queue(static source => source.TrySetResult(), source);
        }
        else
        {
            source.TrySetResult();
        }
    }

    public static void Queue<TState>(Action<TState> action, TState state)
    {
        if (Probe.Current is { } probe)
        {
            probe.Queue(action, state);
        }
        else
        {
            ThreadPool.UnsafeQueueUserWorkItem(action, state, preferLocal: false);
        }
    }
}
