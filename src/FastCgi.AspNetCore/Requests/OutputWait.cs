using System.Threading.Tasks.Sources;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Body;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// A flush that waits until the peer has taken enough. The first to come ends it: room, or one of two cancellations. It
/// serves one wait after the other of one response, so that a long body to a slow client costs no garbage.
/// </summary>
/// <remarks>After a cancellation the send queue may still call it, so it must not be used again.</remarks>
internal sealed class OutputWait(IBodySource connection) : IRoomWaiter, IValueTaskSource<OutputWaitEnd>
{
    private ManualResetValueTaskSourceCore<OutputWaitEnd> _source;
    private int _end; // 0 while it waits, then an OutputWaitEnd. Whoever sets it completes the source.

    /// <summary>To be awaited once, after a <see cref="TryBegin"/> that returned true.</summary>
    public ValueTask<OutputWaitEnd> Ended => new(this, _source.Version);

    /// <returns>False: there is no need to wait.</returns>
    public bool TryBegin(ISendQueue queue, bool all)
    {
        _source.Reset();
        Volatile.Write(ref _end, 0);
        return queue.TryAwaitRoom(this, all);
    }

    /// <summary>
    /// Any thread, any number of times. What waits goes on elsewhere: the caller has work of its own.
    /// </summary>
    public void Cancel(OutputWaitEnd reason)
    {
        if (TryEnd(reason))
        {
            PoolWork.Queue(static wait => wait.Complete(), this);
        }
    }

    void IRoomWaiter.OnRoom()
    {
        if (TryEnd(OutputWaitEnd.Room))
        {
            Complete();
        }
    }

    OutputWaitEnd IValueTaskSource<OutputWaitEnd>.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<OutputWaitEnd>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<OutputWaitEnd>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    /// <summary>Runs what stands behind the flush, see <see cref="RequestBodyReader"/>.</summary>
    private void Complete()
    {
        try
        {
            _source.SetResult((OutputWaitEnd)_end);
        }
        catch (Exception exception)
        {
            connection.OnContinuationFailed(exception);
        }
    }

    private bool TryEnd(OutputWaitEnd end) => Interlocked.CompareExchange(ref _end, (int)end, 0) == 0;
}
