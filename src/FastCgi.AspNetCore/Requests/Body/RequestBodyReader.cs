using System.IO.Pipelines;
using System.Runtime.ExceptionServices;
using System.Threading.Tasks.Sources;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// The application's side of a request body. Made for one request and never used again: after its end, reads throw and
/// the other members do nothing, whatever the pooled body serves next.
/// </summary>
internal sealed class RequestBodyReader : PipeReader, IThreadPoolWorkItem, IValueTaskSource<ReadResult>
{
    private readonly RequestBody _body;
    private readonly bool _isUpgraded;

    // The body may serve another connection when a callback of this one fails.
    private readonly IBodySource? _source;

    // Nothing of this reader needs the lock then, except that its request ends it.
    private readonly bool _isEmpty;

    // Guarded by the body's lock.
    private volatile ReadPhase _phase;
    private bool _cancelled;
    private bool _cancelledByToken;
    private ExceptionDispatchInfo? _failure;
    private Exception? _completedWith;

    // Written by the one that reads.
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

    /// <summary>The body has been asked for: its size limit is fixed.</summary>
    public bool HasStarted { get; private set; }

    /// <summary>A read waits for bytes. The heartbeat asks without the lock, so the answer may be old.</summary>
    public bool IsWaiting => _phase == ReadPhase.Waiting;

    /// <summary>The application has begun to read and can still read on. Under the lock.</summary>
    public bool IsReading => HasStarted && _failure is null && _phase < ReadPhase.Completed;

    /// <summary>The phase after <paramref name="happened"/>.</summary>
    /// <exception cref="InvalidOperationException">The event cannot happen in this phase.</exception>
    public static ReadPhase Next(ReadPhase phase, ReadEvent happened)
    {
        Probe.Count(StateTable.Reader, (int)phase, (int)happened);
        return (phase, happened) switch
        {
            // A read that waited is woken first.
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

    /// <summary>The body lives on until the request ends: what still comes is taken from the socket.</summary>
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
                // With the judgement above: the request may end right behind it, and the body serve another.
                _body.Happen(BodyEvent.Drop);
            }
        }

        if (woken)
        {
            _body.Owner.Continue(this);
        }
    }

    /// <summary>The exception that the application completed the reader with, told once; else null.</summary>
    public Exception? TakeError() =>
        _completedWith is null ? null : Interlocked.Exchange(ref _completedWith, null);

    /// <summary>The request has ended. True as in <see cref="TryWake"/>. Under the lock.</summary>
    public bool End()
    {
        bool woken = TryWake();
        Happen(ReadEvent.End);
        return woken;
    }

    /// <summary>
    /// Runs what stands behind the read. Code without await throws here what it fails with, and the thread is the
    /// server's, or ends the process.
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

        // Waits for a callback that is under way, so that it never cancels a later read.
        _registration.Dispose();
        _registration = default;
        using (LockOrder.Enter(_body.Sync, LockRank.Request))
        {
            Happen(ReadEvent.Resume);
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

    /// <summary>Refuses what may not be read. Judges the declared length once, before the first read.</summary>
    private void Start()
    {
        ThrowIfUnreadable();
        ThrowIfFailed();
        if (HasStarted)
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

    /// <summary>Under the lock. False: nothing is there yet, or <see cref="ThrowIfFailed"/> throws.</summary>
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

    /// <summary>Under the lock: this and every later read fails.</summary>
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

    /// <summary>A read that waits has been cancelled. Under the lock.</summary>
    public bool IsCancelled => _cancelled || _cancelledByToken;

    /// <summary>True: a read that waited has a result, which the caller continues behind the lock.</summary>
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

/// <summary>Where the reader of a body stands. <see cref="RequestBodyReader.Next"/> has every transition.</summary>
internal enum ReadPhase
{
    /// <summary>No read is under way.</summary>
    Idle,

    /// <summary>A read waits.</summary>
    Waiting,

    /// <summary>A read waited, and its result is there to be taken.</summary>
    Ready,

    /// <summary>A result was taken: AdvanceTo comes next.</summary>
    Lent,

    /// <summary>A result was cancelled, or there was none: AdvanceTo may come next.</summary>
    Offered,

    /// <summary>The application has completed the reader.</summary>
    Completed,

    /// <summary>The request has ended.</summary>
    Over,
}

/// <summary>The events of the reader of a body.</summary>
internal enum ReadEvent
{
    /// <summary>A read found nothing and waits.</summary>
    Wait,

    /// <summary>A read that waits has a result.</summary>
    Wake,

    /// <summary>The application takes the result of a read that waited.</summary>
    Resume,

    /// <summary>Content was handed out.</summary>
    Lend,

    /// <summary>A cancelled result was handed out, or none.</summary>
    Offer,

    /// <summary>The application said what it has used.</summary>
    Advance,

    /// <summary>The application reads no more.</summary>
    Complete,

    /// <summary>The request has ended.</summary>
    End,
}
