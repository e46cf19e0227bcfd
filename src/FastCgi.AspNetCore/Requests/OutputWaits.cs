using System.Runtime.CompilerServices;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Body;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The flushes of one response that wait: until the peer has taken enough, or until the head may leave. One after the
/// other, and the application may cancel each of them.
/// </summary>
internal sealed class OutputWaits(ISendQueue queue, IBodySource connection)
{
    private volatile OutputWait? _waiting;
    private volatile TaskCompletionSource? _heldWaitCancelled;
    private OutputWait? _spare;

    /// <summary>A flush waits for the peer. Any thread.</summary>
    public bool IsWaiting => _waiting is not null;

    /// <summary>Waits for room; with <paramref name="all"/> until everything has left.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<OutputWaitEnd> WaitAsync(bool all, CancellationToken cancellationToken)
    {
        // Should the application flush from two threads, the second has an object of its own.
        OutputWait wait = Interlocked.Exchange(ref _spare, null) ?? new OutputWait(connection);
        var end = OutputWaitEnd.Room;
        if (wait.TryBegin(queue, all))
        {
            _waiting = wait;
            using (cancellationToken.UnsafeRegister(
                static wait => ((OutputWait)wait!).Cancel(OutputWaitEnd.TokenCancelled), wait))
            {
                end = await wait.Ended.ConfigureAwait(false);
            }

            _waiting = null;
        }

        if (end == OutputWaitEnd.Room)
        {
            _spare = wait;
        }

        return end;
    }

    /// <summary>Waits for the task that holds the head back; false when the flush was cancelled.</summary>
    public async ValueTask<bool> WaitForAsync(Task held, CancellationToken cancellationToken)
    {
        var cancelled = new TaskCompletionSource(Probe.Continuations);
        _heldWaitCancelled = cancelled;
        try
        {
            await Task.WhenAny(held, cancelled.Task).WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _heldWaitCancelled = null;
        }

        return !cancelled.Task.IsCompleted;
    }

    /// <summary>Cancels the flush that waits. False: none does.</summary>
    public bool TryCancel()
    {
        if (_heldWaitCancelled is { } held)
        {
            held.TrySetResult();
            return true;
        }

        OutputWait? waiting = _waiting;
        waiting?.Cancel(OutputWaitEnd.FlushCancelled);
        return waiting is not null;
    }
}
