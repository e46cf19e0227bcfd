using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Body;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The flushes and writes of one response that wait: until the peer has taken enough, or for a task. The application
/// may cancel them, and need not await them, so there may be several.
/// </summary>
internal sealed class OutputWaits(ISendQueue queue, IBodySource connection)
{
    private readonly Lock _lock = new();

    // Guarded by the lock.
    private readonly List<OutputWait> _waiting = [];
    private int _waitingForPeer;
    private bool _cancelsNext;
    private bool _isOver;

    private OutputWait? _spare;
    private int _unfinishedWrites;
    private TaskCompletionSource? _writesFinished;

    /// <summary>A flush waits for the peer. Any thread.</summary>
    public bool IsWaiting => Volatile.Read(ref _waitingForPeer) > 0;

    /// <summary>A write waits with bytes that are not in the response yet. Any thread.</summary>
    public bool HasUnfinishedWrites => Volatile.Read(ref _unfinishedWrites) > 0;

    /// <summary>Waits for room; with <paramref name="all"/> until everything has left.</summary>
    public ValueTask<OutputWaitEnd> WaitAsync(bool all, CancellationToken cancellationToken)
    {
        OutputWait wait = TakeSpare();
        if (wait.TryBegin(queue, all))
        {
            return WaitAsync(wait, cancellationToken);
        }

        _spare = wait;
        return new ValueTask<OutputWaitEnd>(OutputWaitEnd.Room);
    }

    /// <summary>Waits for <paramref name="task"/>, however it ends.</summary>
    public ValueTask<OutputWaitEnd> WaitForAsync(Task task, CancellationToken cancellationToken)
    {
        OutputWait wait = TakeSpare();
        wait.Begin(task);
        return WaitAsync(wait, cancellationToken);
    }

    /// <summary>Cancels each flush that waits; if none does, the next one. Any thread.</summary>
    public void Cancel()
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        _cancelsNext |= !TryEndEach(OutputWaitEnd.FlushCancelled);
    }

    /// <summary>The request was aborted: ends each wait, and those to come. Any thread.</summary>
    public void EndAll()
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        _isOver = true;
        TryEndEach(OutputWaitEnd.Aborted);
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

    /// <summary>Should the application flush from two threads, the second has an object of its own.</summary>
    private OutputWait TakeSpare() => Interlocked.Exchange(ref _spare, null) ?? new OutputWait(connection);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<OutputWaitEnd> WaitAsync(OutputWait wait, CancellationToken cancellationToken)
    {
        OutputWaitEnd end;
        Enter(wait);
        using (cancellationToken.UnsafeRegister(
            static wait => ((OutputWait)wait!).TryCancel(OutputWaitEnd.TokenCancelled), wait))
        {
            end = await wait.Ended.ConfigureAwait(false);
        }

        Leave(wait);
        if (end == OutputWaitEnd.Room || (wait.IsForPeer && queue.TryForget(wait)))
        {
            _spare = wait;
        }

        return end;
    }

    private void Enter(OutputWait wait)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        _waiting.Add(wait);
        _waitingForPeer += wait.IsForPeer ? 1 : 0;
        if (_isOver)
        {
            wait.TryCancel(OutputWaitEnd.Aborted);
        }
        else if (_cancelsNext)
        {
            _cancelsNext = !wait.TryCancel(OutputWaitEnd.FlushCancelled);
        }
    }

    private void Leave(OutputWait wait)
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        _waiting.Remove(wait);
        _waitingForPeer -= wait.IsForPeer ? 1 : 0;
    }

    /// <summary>Under the lock. True: at least one waited.</summary>
    private bool TryEndEach(OutputWaitEnd end)
    {
        bool hasEnded = false;
        foreach (OutputWait wait in _waiting)
        {
            hasEnded |= wait.TryCancel(end);
        }

        return hasEnded;
    }

    /// <summary>
    /// A flush that waits. The first to come ends it: what it waits for, an abort, or one of two cancellations. It
    /// serves one wait after the other of one response, so that a long body to a slow client costs no garbage.
    /// </summary>
    /// <remarks>A cancelled one that the send queue or a task is about to call must not be used again.</remarks>
    private sealed class OutputWait(IBodySource connection) : IRoomWaiter, IValueTaskSource<OutputWaitEnd>
    {
        private ManualResetValueTaskSourceCore<OutputWaitEnd> _source;
        private int _end; // 0 while it waits, then an OutputWaitEnd.

        /// <summary>It waits for room, not for a task.</summary>
        public bool IsForPeer { get; private set; }

        /// <summary>To be awaited once, after a <see cref="TryBegin"/> that returned true.</summary>
        public ValueTask<OutputWaitEnd> Ended => new(this, _source.Version);

        /// <inheritdoc/>
        public bool WaitsForAll { get; private set; }

        /// <returns>False: there is no need to wait.</returns>
        public bool TryBegin(ISendQueue queue, bool all)
        {
            Reset(isForPeer: true);
            WaitsForAll = all;
            return queue.TryAwaitRoom(this);
        }

        /// <summary>Waits for a task.</summary>
        public void Begin(Task task)
        {
            Reset(isForPeer: false);
            task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(OnRoom);
        }

        /// <summary>
        /// Ends it, unless it has ended. Any thread. What stands behind it goes on elsewhere: the caller has work of
        /// its own.
        /// </summary>
        public bool TryCancel(OutputWaitEnd end)
        {
            bool isFirst = TryEnd(end);
            if (isFirst)
            {
                PoolWork.Queue(static wait => wait.Complete(), this);
            }

            return isFirst;
        }

        /// <inheritdoc/>
        public void OnRoom()
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

        private void Reset(bool isForPeer)
        {
            _source.Reset();
            Volatile.Write(ref _end, 0);
            IsForPeer = isForPeer;
        }

        /// <summary>True for the first caller, who completes the wait.</summary>
        private bool TryEnd(OutputWaitEnd end) => Interlocked.CompareExchange(ref _end, (int)end, 0) == 0;

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
    /// <summary>The peer has taken enough, or is gone; or the task has ended.</summary>
    Room = 1,

    /// <summary>The request was aborted, whatever the peer takes.</summary>
    Aborted,

    /// <summary>The application cancelled this flush alone.</summary>
    FlushCancelled,

    /// <summary>The token of the flush was cancelled.</summary>
    TokenCancelled,
}
