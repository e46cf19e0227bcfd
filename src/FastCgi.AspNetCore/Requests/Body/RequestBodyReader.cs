using System.IO.Pipelines;
using System.Runtime.ExceptionServices;
using System.Threading.Tasks.Sources;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// The application's side of a request body. Belongs to one request and is never reused: after the end of the request,
/// reads throw and the other members do nothing, even if the pooled body serves another request.
/// </summary>
internal sealed class RequestBodyReader : PipeReader, IThreadPoolWorkItem, IValueTaskSource<ReadResult>
{
    private readonly RequestBody _body;
    private readonly bool _isUpgraded;

    // Kept separately: the body may serve another connection when a callback of this reader fails.
    private readonly IBodySource? _source;

    // If true, this reader never needs the lock, except when its request ends it.
    private readonly bool _isEmpty;

    // Guarded by the body's lock.
    private volatile ReadPhase _phase;
    private bool _cancelled;
    private bool _cancelledByToken;
    private ExceptionDispatchInfo? _failure;
    private Exception? _completedWith;

    // Written by the reading thread.
    private ManualResetValueTaskSourceCore<bool> _waiting;
    private CancellationTokenRegistration _registration;
    private bool _failureIsTold;
    private long? _limit;

    public RequestBodyReader(RequestBody body, object? owner, bool isUpgraded = false)
    {
        _body = body;
        _isUpgraded = isUpgraded;
        _source = body.Source;
        BodyPhase phase = body.Attach(this, owner, isUpgraded);
        _isEmpty = phase == BodyPhase.Empty;
        if (phase == BodyPhase.Dropped)
        {
            Happen(ReadEvent.End);
        }
    }

    /// <summary>
    /// True once the application has asked for the body. Its size limit is fixed from then on. Always false for an
    /// empty body, as on Kestrel.
    /// </summary>
    public bool HasStarted { get; private set; }

    /// <summary>True if a read waits for bytes. May be outdated: the heartbeat reads it without the lock.</summary>
    public bool IsWaiting => _phase == ReadPhase.Waiting;

    /// <summary>True if the application has begun to read and can continue. Under the lock.</summary>
    public bool IsReading => HasStarted && _failure is null && _phase < ReadPhase.Completed;

    /// <summary>The phase after an event.</summary>
    /// <exception cref="InvalidOperationException">The event cannot happen in this phase.</exception>
    public static ReadPhase Next(ReadPhase phase, ReadEvent happened)
    {
        Probe.Count(StateTable.Reader, (int)phase, (int)happened);
        return (phase, happened) switch
        {
            // A waiting read is woken first.
            (not ReadPhase.Waiting and not ReadPhase.Over, ReadEvent.End) => ReadPhase.Over,
            (not ReadPhase.Waiting and < ReadPhase.Completed, ReadEvent.Complete) => ReadPhase.Completed,
            (ReadPhase.Completed or ReadPhase.Over, ReadEvent.Resume) => phase,
            (ReadPhase.Idle or ReadPhase.Offered, ReadEvent.Wait) => ReadPhase.Waiting,
            (ReadPhase.Idle or ReadPhase.Offered, ReadEvent.Lend) => ReadPhase.Lent,
            (ReadPhase.Idle or ReadPhase.Offered, ReadEvent.Offer) => ReadPhase.Offered,
            (ReadPhase.Lent or ReadPhase.Offered, ReadEvent.Advance) => ReadPhase.Idle,
            (ReadPhase.Waiting, ReadEvent.Wake) => ReadPhase.Ready,
            (ReadPhase.Ready, ReadEvent.Resume) => ReadPhase.Idle,
            _ => throw new InvalidOperationException($"{happened} cannot happen to a body's reader that is {phase}."),
        };
    }

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Start();
        if (_isEmpty)
        {
            return new ValueTask<ReadResult>(ReadEmpty());
        }

        using (LockOrder.Enter(_body.Sync, LockRank.Request))
        {
            ThrowIfUnreadable();
            if (TryTake(out ReadResult result))
            {
                return new ValueTask<ReadResult>(result);
            }

            if (_failure is null)
            {
                _waiting.Reset();
                Happen(ReadEvent.Wait);
            }
        }

        ThrowIfFailed();
        if (cancellationToken.CanBeCanceled)
        {
            _registration = cancellationToken.UnsafeRegister(
                static reader => ((RequestBodyReader)reader!).OnTokenCancelled(), this);
        }

        return new ValueTask<ReadResult>(this, _waiting.Version);
    }

    public override bool TryRead(out ReadResult result)
    {
        Start();
        if (_isEmpty)
        {
            result = ReadEmpty();
            return true;
        }

        using (LockOrder.Enter(_body.Sync, LockRank.Request))
        {
            ThrowIfUnreadable();
            if (TryTake(out result))
            {
                return true;
            }

            Happen(ReadEvent.Offer);
        }

        ThrowIfFailed();
        return false;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        if (_isEmpty)
        {
            return;
        }

        using RequestBody.Change change = _body.Enter();
        if (_phase is ReadPhase.Completed or ReadPhase.Over)
        {
            return;
        }

        if (_phase is not (ReadPhase.Lent or ReadPhase.Offered))
        {
            throw new InvalidOperationException("No result of a read is there to advance in.");
        }

        _body.Queue.Advance(consumed, examined);
        Happen(ReadEvent.Advance);
    }

    public override void CancelPendingRead()
    {
        using RequestBody.Change change = _body.Enter();
        _cancelled |= _phase < ReadPhase.Completed;
    }

    /// <summary>Ends the reading only. The connection still takes the rest of the body from the socket.</summary>
    public override void Complete(Exception? exception = null)
    {
        bool woken;
        using (_body.Enter())
        {
            if (_phase >= ReadPhase.Completed)
            {
                return;
            }

            // The response of this request takes the exception and reports it.
            _completedWith = exception;
            woken = TryWake();
            Happen(ReadEvent.Complete);
            if (!_isEmpty)
            {
                // In the same lock as the check above: the body may serve another request right after it.
                _body.Happen(BodyEvent.Drop);
            }
        }

        if (woken)
        {
            _body.Owner.Continue(this);
        }
    }

    /// <summary>The exception with which the application completed the reader. Returned once, then null.</summary>
    public Exception? TakeError() =>
        _completedWith is null ? null : Interlocked.Exchange(ref _completedWith, null);

    /// <summary>Ends the reader with its request. Returns the same as <see cref="TryWake"/>. Under the lock.</summary>
    public bool End()
    {
        bool woken = TryWake();
        Happen(ReadEvent.End);
        return woken;
    }

    /// <summary>
    /// Runs the continuation of a read. Continuations without await throw here, on a thread of the server or on one
    /// where an unhandled exception would end the process.
    /// </summary>
    void IThreadPoolWorkItem.Execute()
    {
        try
        {
            _waiting.SetResult(true);
        }
        catch (Exception exception)
        {
            _source?.OnContinuationFailed(exception);
        }
    }

    ValueTaskSourceStatus IValueTaskSource<ReadResult>.GetStatus(short token) => _waiting.GetStatus(token);

    void IValueTaskSource<ReadResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _waiting.OnCompleted(continuation, state, token, flags);

    ReadResult IValueTaskSource<ReadResult>.GetResult(short token)
    {
        _waiting.GetResult(token);
        CancellationToken cancellation = _registration.Token;

        // Waits for a running callback, so that it cannot cancel a later read.
        _registration.Dispose();
        _registration = default;
        using (LockOrder.Enter(_body.Sync, LockRank.Request))
        {
            Happen(ReadEvent.Resume);
            if (_isUpgraded && _phase == ReadPhase.Over)
            {
                throw BodyFailures.ReadAbandoned();
            }

            ThrowIfUnreadable();
            if (_cancelledByToken)
            {
                _cancelledByToken = false;
                throw new OperationCanceledException(cancellation);
            }

            if (TryTake(out ReadResult result))
            {
                return result;
            }
        }

        ThrowIfFailed();
        throw new InvalidOperationException("The read was woken without a result.");
    }

    /// <summary>Throws if the body may not be read. Checks the declared length once, before the first read.</summary>
    private void Start()
    {
        ThrowIfUnreadable();
        ThrowIfFailed();
        if (HasStarted || _isEmpty)
        {
            return;
        }

        HasStarted = true;
        if (_isUpgraded)
        {
            return;
        }

        _limit = _body.Owner.MaxRequestBodySize;
        _body.Owner.OnBodyReadingStarted();
        if (_body.DeclaredLength > _limit)
        {
            using (LockOrder.Enter(_body.Sync, LockRank.Request))
            {
                ThrowIfUnreadable();
                Keep(BodyFailures.TooLarge(_limit));
            }

            ThrowIfFailed();
        }
    }

    /// <summary>False if there is nothing yet, or if <see cref="ThrowIfFailed"/> will throw. Under the lock.</summary>
    private bool TryTake(out ReadResult result)
    {
        result = default;
        if (_body.Failure is { } failure)
        {
            Keep(failure);
            return false;
        }

        BodyQueue queue = _body.Queue;
        bool isCompleted = _body.IsComplete;
        if (!_cancelled && !isCompleted && queue.Unexamined == 0)
        {
            return false;
        }

        if (queue.End > _limit)
        {
            queue.ExamineAll();
            Keep(BodyFailures.TooLarge(_limit));
            return false;
        }

        result = new ReadResult(queue.Lend(), _cancelled, isCompleted);
        Happen(_cancelled ? ReadEvent.Offer : ReadEvent.Lend);
        _cancelled = false;
        return true;
    }

    private ReadResult ReadEmpty()
    {
        bool cancelled = _cancelled;
        _cancelled = false;
        return new ReadResult(default, cancelled, isCompleted: true);
    }

    /// <summary>Makes this and every later read fail. Under the lock.</summary>
    private void Keep(Exception failure)
    {
        _failure = ExceptionDispatchInfo.Capture(failure);
        if (failure is BadHttpRequestException badRequest)
        {
            _body.Owner.SetBadRequest(badRequest);
        }
    }

    private void ThrowIfFailed()
    {
        if (_failure is null)
        {
            return;
        }

        if (!_failureIsTold)
        {
            _failureIsTold = true;
            _body.Settle();
            if (_failure.SourceException is BadHttpRequestException)
            {
                _body.Owner.TellOfBadRequest();
            }
        }

        _failure.Throw();
    }

    private void ThrowIfUnreadable()
    {
        switch (_phase)
        {
            case ReadPhase.Idle or ReadPhase.Offered:
                return;
            case ReadPhase.Completed:
                throw new InvalidOperationException("The request body cannot be read: its reader was completed.");
            case ReadPhase.Over:
                throw BodyFailures.RequestIsOver();
            default:
                throw new InvalidOperationException("The request body is being read: one read at a time.");
        }
    }

    /// <summary>True if a waiting read has been cancelled. Under the lock.</summary>
    public bool IsCancelled => _cancelled || _cancelledByToken;

    /// <summary>True if a waiting read now has a result. The caller continues it outside the lock.</summary>
    public bool TryWake()
    {
        if (_phase != ReadPhase.Waiting)
        {
            return false;
        }

        Happen(ReadEvent.Wake);
        return true;
    }

    private void Happen(ReadEvent happened) => _phase = Next(_phase, happened);

    private void OnTokenCancelled()
    {
        using RequestBody.Change change = _body.Enter();
        _cancelledByToken |= IsWaiting;
    }
}

/// <summary>The phases of a body's reader. <see cref="RequestBodyReader.Next"/> has all transitions.</summary>
internal enum ReadPhase
{
    Idle,
    Waiting,

    /// <summary>A read has waited, and its result is ready.</summary>
    Ready,

    /// <summary>The application has received content. It must call AdvanceTo next.</summary>
    Lent,

    /// <summary>The application has received a cancelled result or none. It may call AdvanceTo next.</summary>
    Offered,

    Completed,

    /// <summary>The request has ended.</summary>
    Over,
}

/// <summary>The events of the reader of a body.</summary>
internal enum ReadEvent
{
    /// <summary>A read found no bytes and waits.</summary>
    Wait,

    /// <summary>A waiting read has a result.</summary>
    Wake,

    /// <summary>The application takes the result after a wait.</summary>
    Resume,

    Lend,

    /// <summary>The application receives a cancelled result, or none.</summary>
    Offer,

    Advance,
    Complete,
    End,
}
