namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>Work for the thread pool, without execution context: callbacks, and file reads and writes.</summary>
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

    /// <summary>Completes a source that was created with <see cref="Probe.Continuations"/>.</summary>
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

    public static async ValueTask WriteAsync(SafeFileHandle file, ReadOnlyMemory<byte> content, long offset)
    {
        if (Probe.Current is { } probe)
        {
            await probe.LaterAsync().ConfigureAwait(false);
            RandomAccess.Write(file, content.Span, offset);
        }
        else
        {
            await RandomAccess.WriteAsync(file, content, offset).ConfigureAwait(false);
        }
    }

    /// <returns>The number of bytes read; 0 at the end of the file.</returns>
    public static async ValueTask<int> ReadAsync(SafeFileHandle file, Memory<byte> buffer, long offset)
    {
        if (Probe.Current is { } probe)
        {
            await probe.LaterAsync().ConfigureAwait(false);
            return RandomAccess.Read(file, buffer.Span, offset);
        }

        return await RandomAccess.ReadAsync(file, buffer, offset).ConfigureAwait(false);
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
