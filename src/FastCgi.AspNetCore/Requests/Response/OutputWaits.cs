using System.Runtime.CompilerServices;
using FastCgi.AspNetCore.Requests.Slot;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>The flushes of one response that wait until the peer has taken enough, one after the other.</summary>
internal sealed class OutputWaits(ISendQueue queue)
{
    private volatile OutputWait? _waiting;
    private OutputWait? _spare;

    /// <summary>A flush waits. Any thread.</summary>
    public bool IsWaiting => _waiting is not null;

    /// <summary>Waits for room; with <paramref name="all"/> until everything has left.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<OutputWaitEnd> WaitAsync(bool all, CancellationToken cancellationToken)
    {
        // Should the application flush from two threads, the second has an object of its own.
        OutputWait wait = Interlocked.Exchange(ref _spare, null) ?? new OutputWait();
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

    /// <summary>Cancels the flush that waits. False: none does.</summary>
    public bool TryCancel()
    {
        OutputWait? waiting = _waiting;
        waiting?.Cancel(OutputWaitEnd.FlushCancelled);
        return waiting is not null;
    }
}
