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
    private readonly Lock _lock = new();

    // Guarded by the lock.
    private OutputWait? _waiting;
    private TaskCompletionSource? _heldWaitCancelled;
    private bool _cancelsNext;
    private bool _isOver;

    private OutputWait? _spare;
    private int _unfinishedWrites;
    private TaskCompletionSource? _writesFinished;

    /// <summary>A flush waits for the peer. Any thread.</summary>
    public bool IsWaiting => Volatile.Read(ref _waiting) is not null;

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
            Begin(wait);
            using (cancellationToken.UnsafeRegister(
                static wait => ((OutputWait)wait!).Cancel(OutputWaitEnd.TokenCancelled), wait))
            {
                end = await wait.Ended.ConfigureAwait(false);
            }

            Leave(wait);
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
        if (!TryBegin(cancelled))
        {
            return false;
        }

        Task first;
        using (cancellationToken.UnsafeRegister(
            static (cancelled, token) => ((TaskCompletionSource)cancelled!).TrySetCanceled(token), cancelled))
        {
            first = await Task.WhenAny(held, cancelled.Task).ConfigureAwait(false);
        }

        await first.ConfigureAwait(false);

        // From here on, a cancellation is for the next flush.
        cancelled.TrySetCanceled(CancellationToken.None);
        return cancelled.Task.IsCanceled;
    }

    /// <summary>Cancels the flush that waits, or else the next one. Any thread.</summary>
    public void Cancel()
    {
        TaskCompletionSource? held;
        OutputWait? wait = null;
        using (LockOrder.Enter(_lock, LockRank.Request))
        {
            (held, _heldWaitCancelled) = (_heldWaitCancelled, null);
            _cancelsNext |= held is null && !TryEnd(OutputWaitEnd.FlushCancelled, out wait);
        }

        wait?.CompleteElsewhere();
        if (held?.TrySetResult() == false)
        {
            // That wait has just ended, so the cancellation is for the next one.
            Cancel();
        }
    }

    /// <summary>The request was aborted: ends the wait for the peer, and those to come. Any thread.</summary>
    public void EndAll()
    {
        OutputWait? wait;
        using (LockOrder.Enter(_lock, LockRank.Request))
        {
            _isOver = true;
            TryEnd(OutputWaitEnd.Aborted, out wait);
        }

        wait?.CompleteElsewhere();
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
    public bool TakeCancellation()
    {
        if (!Volatile.Read(ref _cancelsNext))
        {
            return false;
        }

        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        bool isCancelled = _cancelsNext;
        _cancelsNext = false;
        return isCancelled;
    }

    private void Begin(OutputWait wait)
    {
        OutputWait? ended = null;
        using (LockOrder.Enter(_lock, LockRank.Request))
        {
            _waiting = wait;
            if (_isOver)
            {
                TryEnd(OutputWaitEnd.Aborted, out ended);
            }
            else if (_cancelsNext && TryEnd(OutputWaitEnd.FlushCancelled, out ended))
            {
                _cancelsNext = false;
            }
        }

        ended?.CompleteElsewhere();
    }

    private void Leave(OutputWait wait)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        _waiting = _waiting == wait ? null : _waiting;
    }

    /// <summary>False: the wait was cancelled in advance.</summary>
    private bool TryBegin(TaskCompletionSource heldWaitCancelled)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        _heldWaitCancelled = _cancelsNext ? null : heldWaitCancelled;
        _cancelsNext = false;
        return _heldWaitCancelled is not null;
    }

    /// <summary>Under the lock. True: the caller completes <paramref name="ended"/> behind the lock.</summary>
    private bool TryEnd(OutputWaitEnd end, [NotNullWhen(true)] out OutputWait? ended)
    {
        ended = _waiting?.TryEnd(end) == true ? _waiting : null;
        return ended is not null;
    }

    /// <summary>
    /// A flush that waits until the peer has taken enough. The first to come ends it: room, an abort, or one of two
    /// cancellations. It serves one wait after the other of one response, so that a long body to a slow client costs no
    /// garbage.
    /// </summary>
    /// <remarks>A cancelled one that the send queue is about to call must not be used again.</remarks>
    private sealed class OutputWait(IBodySource connection) : IRoomWaiter, IValueTaskSource<OutputWaitEnd>
    {
        private ManualResetValueTaskSourceCore<OutputWaitEnd> _source;
        private int _end; // 0 while it waits, then an OutputWaitEnd.

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

        /// <summary>Any thread, any number of times.</summary>
        public void Cancel(OutputWaitEnd reason)
        {
            if (TryEnd(reason))
            {
                CompleteElsewhere();
            }
        }

        /// <summary>True for the first caller, who completes the wait.</summary>
        public bool TryEnd(OutputWaitEnd end) => Interlocked.CompareExchange(ref _end, (int)end, 0) == 0;

        /// <summary>Continues behind the wait on another thread: the caller has work of its own.</summary>
        public void CompleteElsewhere() => PoolWork.Queue(static wait => wait.Complete(), this);

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
    }
}

/// <summary>The end of the wait of a flush.</summary>
internal enum OutputWaitEnd
{
    /// <summary>The peer has taken enough, or is gone.</summary>
    Room = 1,

    /// <summary>The request was aborted, whatever the peer takes.</summary>
    Aborted,

    /// <summary>The application cancelled this flush alone.</summary>
    FlushCancelled,

    /// <summary>The token of the flush was cancelled.</summary>
    TokenCancelled,
}
