using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Body;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The waiting flushes and writes of one response. They wait until the peer has taken enough, or for a task. The
/// application may cancel them and need not await them, so there may be several.
/// </summary>
internal sealed class OutputWaits(ISendQueue queue, IBodySource connection)
{
    private readonly Lock _lock = new();

    // Guarded by the lock.
    private readonly List<OutputWait> _waiting = [];
    private int _waitingForPeer;
    private bool _cancelsNext;
    private bool _isOver;
    private List<TaskCompletionSource>? _waitingForWrites;

    private OutputWait? _spare;
    private int _unfinishedWrites;

    /// <summary>True if a flush waits for the peer. Any thread.</summary>
    public bool IsWaiting => Volatile.Read(ref _waitingForPeer) > 0;

    /// <summary>True if a write waits with bytes that are not in the response yet. Any thread.</summary>
    public bool HasUnfinishedWrites => Volatile.Read(ref _unfinishedWrites) > 0;

    /// <summary>Waits for room, or until everything has left if <paramref name="all"/>.</summary>
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

    /// <summary>Waits for the end of <paramref name="task"/>, successful or not.</summary>
    public ValueTask<OutputWaitEnd> WaitForAsync(Task task, CancellationToken cancellationToken)
    {
        OutputWait wait = TakeSpare();
        wait.Begin(task);
        return WaitAsync(wait, cancellationToken);
    }

    /// <summary>Cancels all waiting flushes, or the next one if none waits. Any thread.</summary>
    public void Cancel()
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        _cancelsNext |= !TryEndEach(OutputWaitEnd.FlushCancelled);
    }

    /// <summary>Ends all present and future waits, because the request was aborted. Any thread.</summary>
    public void EndAll()
    {
        using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Request);
        _isOver = true;
        TryEndEach(OutputWaitEnd.Aborted);
    }

    /// <summary>Notes that a write begins to wait and still has bytes.</summary>
    public void BeginWrite() => Interlocked.Increment(ref _unfinishedWrites);

    /// <summary>Notes that the response has all bytes of a waiting write, or never will.</summary>
    public void FinishWrite()
    {
        if (Interlocked.Decrement(ref _unfinishedWrites) > 0)
        {
            return;
        }

        List<TaskCompletionSource>? waiting;
        using (LockOrder.Enter(_lock, LockRank.Request))
        {
            waiting = _waitingForWrites;
            _waitingForWrites = null;
        }

        waiting?.ForEach(PoolWork.Complete);
    }

    /// <summary>Waits until the response has the bytes of all writes. Several flows may wait.</summary>
    public async ValueTask FinishWritesAsync()
    {
        // One for each flow. If several flows await one task, .NET runs one of them where the task is completed. The
        // others go to the thread pool, which the fuzzer in memory does not have.
        var finished = new TaskCompletionSource(Probe.Continuations);
        using (LockOrder.Enter(_lock, LockRank.Request))
        {
            if (!HasUnfinishedWrites)
            {
                return;
            }

            (_waitingForWrites ??= []).Add(finished);
        }

        await finished.Task.ConfigureAwait(false);
    }

    /// <summary>True, once, if a flush was cancelled while none waited.</summary>
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

    /// <summary>Takes the spare wait, or creates one if the application flushes from two threads.</summary>
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

    /// <summary>True if at least one waited. Under the lock.</summary>
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
    /// A waiting flush. The first event ends it: the awaited one, an abort, or one of two cancellations. Reused for
    /// further waits of one response, so that a long body to a slow client allocates little.
    /// </summary>
    /// <remarks>Not reused after a cancellation if the send queue or a task may still call it.</remarks>
    private sealed class OutputWait(IBodySource connection) : IRoomWaiter, IValueTaskSource<OutputWaitEnd>
    {
        private ManualResetValueTaskSourceCore<OutputWaitEnd> _source;
        private int _end; // 0 while it waits, then an OutputWaitEnd.

        /// <summary>True if it waits for room, false if it waits for a task.</summary>
        public bool IsForPeer { get; private set; }

        /// <summary>To be awaited once, after <see cref="TryBegin"/> has returned true.</summary>
        public ValueTask<OutputWaitEnd> Ended => new(this, _source.Version);

        public bool WaitsForAll { get; private set; }

        /// <returns>False if there is no need to wait.</returns>
        public bool TryBegin(ISendQueue queue, bool all)
        {
            Reset(isForPeer: true);
            WaitsForAll = all;
            return queue.TryAwaitRoom(this);
        }

        public void Begin(Task task)
        {
            Reset(isForPeer: false);
            task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(OnRoom);
        }

        /// <summary>
        /// Ends the wait, unless it has ended. Any thread. The continuation runs on another thread, because the caller
        /// has other work.
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

        /// <summary>True for the first caller, which then completes the wait.</summary>
        private bool TryEnd(OutputWaitEnd end) => Interlocked.CompareExchange(ref _end, (int)end, 0) == 0;

        /// <summary>Runs the continuation of the flush, as <see cref="RequestBodyReader"/> does.</summary>
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

/// <summary>The reason for the end of a wait.</summary>
internal enum OutputWaitEnd
{
    /// <summary>The peer has taken enough or is gone, or the task has ended.</summary>
    Room = 1,

    Aborted,

    /// <summary>The application cancelled only this flush.</summary>
    FlushCancelled,

    TokenCancelled,
}
