using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Body;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The flushes and writes of one response that wait: until the peer has taken enough, or until the head may leave. The
/// application may cancel each wait, and need not await a write.
/// </summary>
internal sealed class OutputWaits(ISendQueue queue, IBodySource connection)
{
    private volatile OutputWait? _waiting;
    private volatile TaskCompletionSource? _heldWaitCancelled;
    private OutputWait? _spare;
    private int _cancelsNext; // 1: the next wait ends at once.
    private int _unfinishedWrites;
    private TaskCompletionSource? _writesFinished;

    /// <summary>A flush waits for the peer. Any thread.</summary>
    public bool IsWaiting => _waiting is not null;

    /// <summary>A write waits with bytes that are not in the response yet. Any thread.</summary>
    public bool HasUnfinishedWrites => Volatile.Read(ref _unfinishedWrites) > 0;

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
            CancelIfAsked();
            using (cancellationToken.UnsafeRegister(
                static wait => ((OutputWait)wait!).Cancel(OutputWaitEnd.TokenCancelled), wait))
            {
                end = await wait.Ended.ConfigureAwait(false);
            }

            _waiting = null;
            if (end == OutputWaitEnd.FlushCancelled)
            {
                TakeCancellation();
            }
        }

        if (end == OutputWaitEnd.Room || queue.TryForget(wait))
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
        CancelIfAsked();
        Task first;
        using (cancellationToken.UnsafeRegister(
            static (cancelled, token) => ((TaskCompletionSource)cancelled!).TrySetCanceled(token), cancelled))
        {
            first = await Task.WhenAny(held, cancelled.Task).ConfigureAwait(false);
        }

        _heldWaitCancelled = null;
        await first.ConfigureAwait(false);
        if (cancelled.Task.IsCompletedSuccessfully)
        {
            TakeCancellation();
            return false;
        }

        return true;
    }

    /// <summary>Cancels the flush that waits, or else the next one. Any thread.</summary>
    public void Cancel()
    {
        // Set first: a flush that begins to wait now sees it. If a wait has just ended, it is for the next flush.
        Interlocked.Exchange(ref _cancelsNext, 1);
        _heldWaitCancelled?.TrySetResult();
        _waiting?.Cancel(OutputWaitEnd.FlushCancelled);
    }

    /// <summary>A write begins to wait with bytes in hand.</summary>
    public void BeginWrite() => Interlocked.Increment(ref _unfinishedWrites);

    /// <summary>The response has all bytes of a write that waited, or never will.</summary>
    public void FinishWrite()
    {
        if (Interlocked.Decrement(ref _unfinishedWrites) == 0
            && Interlocked.Exchange(ref _writesFinished, null) is { } finished)
        {
            PoolWork.Complete(finished);
        }
    }

    /// <summary>Waits until the response has all bytes that writes were given.</summary>
    public async ValueTask FinishWritesAsync()
    {
        var finished = new TaskCompletionSource(Probe.Continuations);
        finished = Interlocked.CompareExchange(ref _writesFinished, finished, null) ?? finished;
        if (HasUnfinishedWrites)
        {
            await finished.Task.ConfigureAwait(false);
        }
    }

    /// <summary>The flush was cancelled while it did not wait. It is told so once.</summary>
    public bool TakeCancellation() => Interlocked.Exchange(ref _cancelsNext, 0) == 1;

    /// <summary>A wait begins that was cancelled in advance, or at this moment.</summary>
    private void CancelIfAsked()
    {
        if (TakeCancellation())
        {
            Cancel();
        }
    }

    /// <summary>
    /// A flush that waits until the peer has taken enough. The first to come ends it: room, or one of two
    /// cancellations. It serves one wait after the other of one response, so that a long body to a slow client costs no
    /// garbage.
    /// </summary>
    /// <remarks>A cancelled one that the send queue is about to call must not be used again.</remarks>
    private sealed class OutputWait(IBodySource connection) : IRoomWaiter, IValueTaskSource<OutputWaitEnd>
    {
        private ManualResetValueTaskSourceCore<OutputWaitEnd> _source;
        private int _end; // 0 while it waits, then an OutputWaitEnd. Whoever sets it completes the source.

        /// <summary>To be awaited once, after a <see cref="TryBegin"/> that returned true.</summary>
        public ValueTask<OutputWaitEnd> Ended => new(this, _source.Version);

        /// <inheritdoc/>
        public bool WaitsForAll { get; private set; }

        /// <returns>False: there is no need to wait.</returns>
        public bool TryBegin(ISendQueue queue, bool all)
        {
            _source.Reset();
            Volatile.Write(ref _end, 0);
            WaitsForAll = all;
            return queue.TryAwaitRoom(this);
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
}

/// <summary>The end of the wait of a flush.</summary>
internal enum OutputWaitEnd
{
    /// <summary>The peer has taken enough, or is gone.</summary>
    Room = 1,

    /// <summary>The application cancelled this flush alone.</summary>
    FlushCancelled,

    /// <summary>The token of the flush was cancelled.</summary>
    TokenCancelled,
}
