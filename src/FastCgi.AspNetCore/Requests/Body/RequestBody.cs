using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// The body of one request on its way to the application. The connection writes under its gate. The application reads
/// through a reader that belongs to one request, see <see cref="Attach"/>. Pooled with the request. A body that is
/// known to be empty before the application begins takes no lock.
/// </summary>
/// <remarks>
/// FastCGI has no flow control for single requests. If the request is alone on its connection, a slow reader stops the
/// socket, see <see cref="TryPause"/>. Otherwise, or while the head of the response is held back, bytes without room go
/// to a temporary file. The lock comes after the connection's gate. Callbacks are called outside the lock.
/// </remarks>
internal sealed partial class RequestBody
{
    private enum Pause
    {
        None,

        /// <summary>Until the application has read.</summary>
        UntilRoom,

        /// <summary>Until the temporary file has taken the bytes that wait for it.</summary>
        UntilSpilled,
    }

    private readonly BodySegments _segments;

    // Written by the connection before the application begins, like the source. The rest is guarded by the lock.
    private object? _owner;
    private BodyPhase _phase;
    private Pause _pause;
    private BodySpill? _spill;
    private RequestBodyReader? _reader;
    private RequestBodyReader? _readerBeforeUpgrade;
    private Action? _onSettled;
    private bool _isUpgraded;
    private bool _readsAhead;
    private bool _mayPause;

    public RequestBody(IRequestBodyOwner owner, long? bufferSize, BufferPool pool)
    {
        Owner = owner;
        _segments = new BodySegments(pool);
        Queue = new BodyQueue(_segments, bufferSize);
    }

    public IRequestBodyOwner Owner { get; }

    /// <summary>The connection of the current request.</summary>
    public IBodySource? Source { get; private set; }

    /// <summary>Guards the body and the state of its reader.</summary>
    public Lock Sync { get; } = new();

    /// <summary>The readable bytes. For the reader, under the lock.</summary>
    public BodyQueue Queue { get; }

    /// <summary>The exception that every read throws, or null. For the reader, under the lock.</summary>
    public Exception? Failure { get; private set; }

    /// <summary>True if the queue holds the last byte. For the reader, under the lock.</summary>
    public bool IsComplete => _phase == BodyPhase.Whole && _spill is null;

    /// <summary>
    /// True if the socket can wait for the reader when the disk has failed: either no more bytes come, or no other
    /// request shares the connection and no response waits for the rest of the body. Under the lock.
    /// </summary>
    private bool MayStandStill => _phase != BodyPhase.Arriving || (_mayPause && _onSettled is null);

    public long Received { get; private set; }

    /// <summary>CONTENT_LENGTH; 0 for an authorizer; null if unknown. Bytes beyond it are ignored.</summary>
    public long? DeclaredLength { get; set; }

    /// <summary>True if the empty STDIN record has come.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>True if at least one STDIN record has come.</summary>
    public bool HasBegun => Received > 0 || HasEnded;

    /// <summary>True if every declared byte has come, even if the record that ends the body has not.</summary>
    public bool IsWhole => HasEnded || (DeclaredLength is long length && Received >= length);

    /// <summary>True if the body was known to be empty before the application began.</summary>
    public bool IsKnownEmpty => _phase == BodyPhase.Empty;

    /// <summary>True if the application has begun to read the body of the request.</summary>
    public bool HasReadingStarted => (_readerBeforeUpgrade ?? _reader)?.HasStarted == true;

    /// <summary>The number of received bytes while a read waits for more, otherwise null. Any thread.</summary>
    public long? ReceivedWhileWaiting => _phase == BodyPhase.Arriving && _reader?.IsWaiting == true ? Received : null;

    /// <summary>
    /// True if the application has begun to read and more is still to come. Always false for an upgraded stream,
    /// because a wait for its end might never end.
    /// </summary>
    public bool IsAwaitedByReader => _reader is { IsReading: true } && !IsWhole && !_isUpgraded;

    /// <summary>The phase after an event.</summary>
    /// <exception cref="InvalidOperationException">The event cannot happen in this phase.</exception>
    public static BodyPhase Next(BodyPhase phase, BodyEvent happened)
    {
        Probe.Count(StateTable.Body, (int)phase, (int)happened);
        return (phase, happened) switch
        {
            (BodyPhase.Awaited, BodyEvent.OpenEmpty or BodyEvent.End) => BodyPhase.Empty,
            (BodyPhase.Awaited, BodyEvent.Open or BodyEvent.Bytes) => BodyPhase.Arriving,
            (BodyPhase.Awaited, BodyEvent.Fail) => BodyPhase.Failed,
            (BodyPhase.Arriving, BodyEvent.Open or BodyEvent.Bytes) => BodyPhase.Arriving,
            (BodyPhase.Arriving, BodyEvent.LastBytes or BodyEvent.End) => BodyPhase.Whole,
            (BodyPhase.Arriving, BodyEvent.ShortEnd or BodyEvent.Fail) => BodyPhase.Failed,

            // An empty body stays empty, whatever comes later. Only an upgrade changes that.
            (BodyPhase.Empty, BodyEvent.OpenEmpty or BodyEvent.Open or BodyEvent.End or BodyEvent.Drop) =>
                BodyPhase.Empty,
            (BodyPhase.Empty, BodyEvent.Upgrade) => BodyPhase.Arriving,
            (BodyPhase.Empty or BodyPhase.Arriving or BodyPhase.Whole, BodyEvent.Refuse) => BodyPhase.Failed,
            (BodyPhase.Whole, BodyEvent.End or BodyEvent.Fail) => BodyPhase.Whole,
            (not BodyPhase.Empty, BodyEvent.Drop) => BodyPhase.Dropped,
            (BodyPhase.Failed or BodyPhase.Dropped, BodyEvent.End or BodyEvent.ShortEnd or BodyEvent.Fail) => phase,
            _ => throw new InvalidOperationException($"{happened} cannot happen to a request body that is {phase}."),
        };
    }

    public void Begin(IBodySource source) => Source = source;

    /// <summary>From now on only readers of <paramref name="owner"/> may attach.</summary>
    public void Own(object owner) => _owner = owner;

    /// <summary>Called before the application begins. From now on the body may be read at any moment.</summary>
    public void Open() =>
        // Some web servers send no end of a body that does not exist.
        _phase = Next(_phase, DeclaredLength == 0 ? BodyEvent.OpenEmpty : BodyEvent.Open);

    /// <summary>Begins the upgraded stream, without length or limit. The body before it was empty.</summary>
    public void Upgrade()
    {
        using Lock.Scope scope = LockOrder.Enter(Sync, LockRank.Request);
        _phase = Next(_phase, BodyEvent.Upgrade);
        DeclaredLength = null;
        HasEnded = false;
        _isUpgraded = true;
        _readerBeforeUpgrade = _reader;
        _reader = null;
    }

    /// <summary>
    /// Makes <paramref name="reader"/> the reader of this body. Returns the phase; for Empty or Dropped there is
    /// nothing to read. Dropped if the request of <paramref name="owner"/> has ended: the body serves another request.
    /// </summary>
    public BodyPhase Attach(RequestBodyReader reader, object? owner, bool afterUpgrade)
    {
        if (IsKnownEmpty && _owner == owner)
        {
            _reader = reader;
            return BodyPhase.Empty;
        }

        using Lock.Scope scope = LockOrder.Enter(Sync, LockRank.Request);
        if (_isUpgraded && !afterUpgrade && _owner == owner)
        {
            _readerBeforeUpgrade = reader;
            return BodyPhase.Empty;
        }

        if (_owner != owner || _phase is BodyPhase.Awaited or BodyPhase.Dropped)
        {
            return BodyPhase.Dropped;
        }

        _reader?.End();
        _reader = reader;
        return _phase;
    }

    /// <summary>Takes a piece of STDIN. The socket may wait for this reader if <paramref name="mayPause"/>.</summary>
    /// <returns>The reader whose read now has a result, to be run by the caller; otherwise null.</returns>
    public RequestBodyReader? Receive(ReadOnlySpan<byte> content, bool mayPause)
    {
        long expected = DeclaredLength - Received ?? long.MaxValue;
        content = content[..(int)Math.Clamp(expected, 0, content.Length)];
        if (content.IsEmpty || HasEnded)
        {
            return null;
        }

        using Change change = Enter();
        Received += content.Length;
        _mayPause = mayPause;
        if (_phase is BodyPhase.Awaited or BodyPhase.Arriving)
        {
            Keep(content);
        }

        return change.Leave();
    }

    /// <summary>Handles the empty STDIN record. If the body is too short, its reader fails.</summary>
    /// <inheritdoc cref="Receive" path="/returns"/>
    public RequestBodyReader? ReceiveEnd()
    {
        if (HasEnded)
        {
            return null;
        }

        if (_phase is BodyPhase.Awaited or BodyPhase.Empty && DeclaredLength is null or 0)
        {
            // The usual case. The application has not begun, or does not use the phase of an empty body.
            HasEnded = true;
            Happen(BodyEvent.End);
            return null;
        }

        using Change change = Enter();
        HasEnded = true;
        Happen(
            Received < DeclaredLength ? BodyEvent.ShortEnd : BodyEvent.End,
            Received < DeclaredLength ? BodyFailures.TooShort(Received, DeclaredLength) : null);
        return change.Leave();
    }

    /// <summary>Like <see cref="ReceiveEnd"/>, for any thread: the application continues on another one.</summary>
    public void End()
    {
        if (ReceiveEnd() is { } woken)
        {
            Owner.Continue(woken);
        }
    }

    /// <summary>Fails an incomplete body: every read throws, even if bytes are buffered.</summary>
    public void Fail(Exception reason) => ChangeTo(BodyEvent.Fail, reason);

    /// <summary>Fails any body, even an empty or complete one: every read throws from now on.</summary>
    public void Refuse(Exception reason) => ChangeTo(BodyEvent.Refuse, reason);

    /// <summary>True if the socket has to wait for a slow reader, or for the disk.</summary>
    public bool WantsPause(bool mayPause)
    {
        using Lock.Scope scope = LockOrder.Enter(Sync, LockRank.Request);
        return _phase == BodyPhase.Arriving && PauseFor(mayPause) != Pause.None;
    }

    /// <summary>Agrees to a pause of the socket until there is room. False if there is room already.</summary>
    public bool TryPause(bool mayPause)
    {
        using Lock.Scope scope = LockOrder.Enter(Sync, LockRank.Request);
        _pause = _phase == BodyPhase.Arriving ? PauseFor(mayPause) : _pause;
        return _phase == BodyPhase.Arriving && _pause != Pause.None;
    }

    /// <summary>
    /// From now on the socket never waits for the application. False if no bytes are to come, or they cannot be kept.
    /// </summary>
    /// <param name="onSettled">
    /// Called without a lock when the body is complete, has failed or is no longer read. The head of the response is
    /// held back until then. Null if the head is not held back.
    /// </param>
    public bool TryReadAhead(Action? onSettled = null)
    {
        using Change change = Enter();
        if (IsWhole || _phase != BodyPhase.Arriving || _spill is { IsBroken: true })
        {
            return false;
        }

        _onSettled = onSettled ?? _onSettled;
        _readsAhead = true;
        return true;
    }

    /// <summary>Ends the reader when the application has left. A read that waits throws.</summary>
    public void EndReading()
    {
        if (IsKnownEmpty || (_reader is null && _readerBeforeUpgrade is null))
        {
            _reader?.End();
            _reader = null;
            return;
        }

        RequestBodyReader? woken;
        using (LockOrder.Enter(Sync, LockRank.Request))
        {
            _readerBeforeUpgrade?.End();
            woken = _reader?.End() == true ? _reader : null;
            _readerBeforeUpgrade = _reader = null;
        }

        if (woken is not null)
        {
            PoolWork.Queue(woken);
        }
    }

    /// <summary>The application reads no more. Bytes that still come are counted and dropped.</summary>
    public void Drop() => ChangeTo(BodyEvent.Drop);

    /// <summary>Prepares the object for another request.</summary>
    public void Reset()
    {
        EndReading();
        if (_phase is not (BodyPhase.Awaited or BodyPhase.Empty or BodyPhase.Dropped))
        {
            Drop();
        }

        (Source, _owner) = (null, null);
        DeclaredLength = null;
        Received = 0;
        Failure = null;
        _onSettled = null;
        _phase = BodyPhase.Awaited;
        _pause = Pause.None;
        HasEnded = _readsAhead = _isUpgraded = false;
    }

    /// <summary>Takes the lock until the result is disposed. Waiters are notified after that.</summary>
    public Change Enter()
    {
        _ = LockOrder.Enter(Sync, LockRank.Request);
        return new Change(this);
    }

    /// <summary>Notifies waiters: a reader that failed may have made room.</summary>
    public void Settle() => Enter().Dispose();

    /// <summary>Under the lock.</summary>
    private void Keep(ReadOnlySpan<byte> content)
    {
        if (_spill is null && !(Queue.IsFull && (_readsAhead || !_mayPause)))
        {
            Queue.Append(content);
        }
        else if (Received > Owner.MaxRequestBodySize)
        {
            Happen(BodyEvent.Fail, BodyFailures.TooLarge(Owner.MaxRequestBodySize));
            return;
        }
        else
        {
            _spill ??= new BodySpill(_segments, this);
            _spill.Add(content);
            _spill.Start();
        }

        Happen(IsWhole ? BodyEvent.LastBytes : BodyEvent.Bytes);
    }

    /// <summary>The reason why the socket has to wait now. Under the lock.</summary>
    private Pause PauseFor(bool mayPause) =>
        _spill is { IsBehind: true } ? Pause.UntilSpilled
        : Queue.IsFull && mayPause && !_readsAhead ? Pause.UntilRoom
        : Pause.None;

    /// <summary>Ends the pause if its reason is gone. True if the socket is to be read again. Under the lock.</summary>
    private bool TryEndPause()
    {
        bool ends = _pause switch
        {
            Pause.UntilRoom => _phase != BodyPhase.Arriving || !Queue.IsFull || _readsAhead,
            Pause.UntilSpilled => _phase != BodyPhase.Arriving || _spill is not { HasCaughtUp: false },
            _ => false,
        };
        _pause = ends ? Pause.None : _pause;
        return ends;
    }

    private void ChangeTo(BodyEvent happened, Exception? reason = null)
    {
        if (_phase == BodyPhase.Empty && happened != BodyEvent.Refuse)
        {
            return;
        }

        using Change change = Enter();
        Happen(happened, reason);
    }

    /// <summary>Under the lock.</summary>
    public void Happen(BodyEvent happened, Exception? reason = null)
    {
        BodyPhase before = _phase;
        _phase = Next(before, happened);
        if (_phase == before || _phase is not (BodyPhase.Failed or BodyPhase.Dropped))
        {
            return;
        }

        Failure ??= reason;
        _spill?.Drop();
        _spill = null;
        if (_phase == BodyPhase.Dropped)
        {
            Queue.Clear();
        }
    }

    /// <summary>A change of the body under its lock. Waiters are notified at its end, outside the lock.</summary>
    internal ref struct Change(RequestBody body)
    {
        private RequestBody? _body = body;

        /// <summary>Leaves the lock and notifies all waiters except the reader.</summary>
        /// <returns>The reader whose read now has a result, or null.</returns>
        public RequestBodyReader? Leave()
        {
            RequestBody body = _body!;
            _body = null;
            bool isArriving = body._phase == BodyPhase.Arriving;
            Action? onSettled = isArriving ? null : body._onSettled;
            body._onSettled = isArriving ? body._onSettled : null;
            IBodySource? source = body.TryEndPause() ? body.Source : null;
            bool isReadable = body.Queue.Unexamined > 0 || body.IsComplete || body._phase == BodyPhase.Failed
                || body._reader is { IsCancelled: true };
            RequestBodyReader? woken = isReadable && body._reader?.TryWake() == true ? body._reader : null;
            if (!body.Queue.IsFull)
            {
                body._spill?.Start();
            }

            body.Sync.Exit();
            onSettled?.Invoke();
            source?.ResumeReading();
            return woken;
        }

        /// <summary>Leaves the lock, unless already done, and wakes the reader on another thread.</summary>
        public void Dispose()
        {
            if (_body is { } body && Leave() is { } woken)
            {
                body.Owner.Continue(woken);
            }
        }
    }
}

/// <summary>The phases of the body of a request. <see cref="RequestBody.Next"/> has all transitions.</summary>
internal enum BodyPhase
{
    /// <summary>The application has not begun, and no bytes have come.</summary>
    Awaited,

    /// <summary>The body was known to be empty before the application began.</summary>
    Empty,

    /// <summary>More may come.</summary>
    Arriving,

    /// <summary>All bytes have come. The reader may still have some to read.</summary>
    Whole,

    /// <summary>Every read fails.</summary>
    Failed,

    /// <summary>Bytes that still come are counted and dropped.</summary>
    Dropped,
}

/// <summary>The events of the body of a request.</summary>
internal enum BodyEvent
{
    /// <summary>The application is about to begin, and no body can come.</summary>
    OpenEmpty,

    /// <summary>The application is about to begin.</summary>
    Open,

    /// <summary>Bytes came, and more may come.</summary>
    Bytes,

    LastBytes,

    /// <summary>The end came after every byte.</summary>
    End,

    ShortEnd,

    /// <summary>The rest of the body will not come.</summary>
    Fail,

    /// <summary>Every read must fail, whatever length the params declare.</summary>
    Refuse,

    Drop,
    Upgrade,
}
