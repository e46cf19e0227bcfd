using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// The body of one request on its way to the application. The connection writes under its gate; the application reads
/// through a reader of its own, see <see cref="Attach"/>. Pooled with the request. A body that was whole and empty
/// before the application began takes no lock.
/// </summary>
/// <remarks>
/// FastCGI has no flow control for one request. A slow reader alone on its connection stops the socket, see
/// <see cref="TryPause"/>. Beside other requests, and while the head of its response is held back, bytes without room
/// go through a temporary file. The lock comes after the connection's gate; those who wait are told without it.
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

    // Written by the connection before the application begins, as the source; the rest is guarded by the lock.
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

    /// <summary>The connection of the present request.</summary>
    public IBodySource? Source { get; private set; }

    /// <summary>Guards the body and the state of its reader.</summary>
    public Lock Sync { get; } = new();

    /// <summary>The bytes that can be read. For the reader, under the lock.</summary>
    public BodyQueue Queue { get; }

    /// <summary>The exception that every read fails with, or null. For the reader, under the lock.</summary>
    public Exception? Failure { get; private set; }

    /// <summary>The queue holds the last byte. For the reader, under the lock.</summary>
    public bool IsComplete => _phase == BodyPhase.Whole && _spill is null;

    /// <summary>
    /// Without a disk the socket can wait for the reader: nothing more is to come, or no other request shares the
    /// connection, and no response waits for the rest of the body. Under the lock.
    /// </summary>
    private bool MayStandStill => _phase != BodyPhase.Arriving || (_mayPause && _onSettled is null);

    /// <summary>Bytes of the body received so far.</summary>
    public long Received { get; private set; }

    /// <summary>CONTENT_LENGTH, for an authorizer 0; null when not known. Bytes beyond are not the body's.</summary>
    public long? DeclaredLength { get; set; }

    /// <summary>The empty STDIN record has come.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>At least one STDIN record has come.</summary>
    public bool HasBegun => Received > 0 || HasEnded;

    /// <summary>Every declared byte has come, though perhaps not the record that says so.</summary>
    public bool IsWhole => HasEnded || (DeclaredLength is long length && Received >= length);

    /// <summary>Nothing came and nothing will, known before the application began.</summary>
    public bool IsKnownEmpty => _phase == BodyPhase.Empty;

    /// <summary>The application has asked for bytes of the request.</summary>
    public bool HasReadingStarted => (_readerBeforeUpgrade ?? _reader)?.HasStarted == true;

    /// <summary>Bytes so far while a read waits for more; null while none does. Any thread.</summary>
    public long? ReceivedWhileWaiting => _phase == BodyPhase.Arriving && _reader?.IsWaiting == true ? Received : null;

    /// <summary>
    /// The application has begun to read, and there is more for it to come. Never of an upgraded stream: it has no end
    /// that anybody could wait for.
    /// </summary>
    public bool IsAwaitedByReader => _reader is { IsReading: true } && !IsWhole && !_isUpgraded;

    /// <summary>The phase after <paramref name="happened"/>.</summary>
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

            // Whether the body was empty is decided: nothing that comes later changes it, except an upgrade.
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

    /// <summary>From now on readers of <paramref name="owner"/> may attach, and no others.</summary>
    public void Own(object owner) => _owner = owner;

    /// <summary>The application is about to begin: from now on the body may be read at any moment.</summary>
    public void Open() =>
        // Not every web server ends a stream that it never began.
        _phase = Next(_phase, DeclaredLength == 0 ? BodyEvent.OpenEmpty : BodyEvent.Open);

    /// <summary>An upgraded stream follows, without length and limit. The body in front was empty.</summary>
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
    /// Makes <paramref name="reader"/> the one that reads this body. Says what it has to read: Empty or Dropped is
    /// nothing. Dropped for one whose <paramref name="owner"/> has ended: the body serves another.
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

    /// <summary>Takes a piece of STDIN. <paramref name="mayPause"/>: the socket may wait for this reader.</summary>
    /// <returns>The reader whose read has a result now, for the caller to run; null for none.</returns>
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

    /// <summary>The empty STDIN record came: too short a body is an error to its reader.</summary>
    /// <inheritdoc cref="Receive" path="/returns"/>
    public RequestBodyReader? ReceiveEnd()
    {
        if (HasEnded)
        {
            return null;
        }

        if (_phase is BodyPhase.Awaited or BodyPhase.Empty && DeclaredLength is null or 0)
        {
            // Most requests end here. The application has not begun, or does not look at the phase of an empty body.
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

    /// <summary>As <see cref="ReceiveEnd"/>, from any thread: the application goes on elsewhere.</summary>
    public void End()
    {
        if (ReceiveEnd() is { } woken)
        {
            Owner.Continue(woken);
        }
    }

    /// <summary>The body will not come: every read fails, whether bytes are buffered or not.</summary>
    public void Fail(Exception reason) => ChangeTo(BodyEvent.Fail, reason);

    /// <summary>Every read fails from now on, also of an empty or a whole body.</summary>
    public void Refuse(Exception reason) => ChangeTo(BodyEvent.Refuse, reason);

    /// <summary>The reader is slow, and the socket has to wait for it, or for the disk.</summary>
    public bool WantsPause(bool mayPause)
    {
        using Lock.Scope scope = LockOrder.Enter(Sync, LockRank.Request);
        return _phase == BodyPhase.Arriving && PauseFor(mayPause) != Pause.None;
    }

    /// <summary>The reading role was given back: reading resumes when there is room. False: there is already.</summary>
    public bool TryPause(bool mayPause)
    {
        using Lock.Scope scope = LockOrder.Enter(Sync, LockRank.Request);
        _pause = _phase == BodyPhase.Arriving ? PauseFor(mayPause) : _pause;
        return _phase == BodyPhase.Arriving && _pause != Pause.None;
    }

    /// <summary>
    /// From now on the socket never waits for the application. False when nothing more is to come, or can be kept.
    /// </summary>
    /// <param name="onSettled">
    /// Called without a lock when the body is whole, has failed, or is not read any more: until then the head of the
    /// response is held back. Null where it is not.
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

    /// <summary>The application has left. Its reader is dead, and a read that waits ends by an exception.</summary>
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

    /// <summary>The application does not read any more: what still comes is counted and dropped.</summary>
    public void Drop() => ChangeTo(BodyEvent.Drop);

    /// <summary>The object may serve another request.</summary>
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

    /// <summary>Holds the lock until the result is disposed. Then tells those who waited for a change.</summary>
    public Change Enter()
    {
        _ = LockOrder.Enter(Sync, LockRank.Request);
        return new Change(this);
    }

    /// <summary>Looks whom to tell: a reader that failed may have made room.</summary>
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

    /// <summary>Ends the pause if its reason is gone. True: the socket is read again. Under the lock.</summary>
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

    /// <summary>A change of the body under its lock. At the end, those who waited are told without the lock.</summary>
    internal ref struct Change(RequestBody body)
    {
        private RequestBody? _body = body;

        /// <summary>Leaves the lock and tells those who waited, but for the reader.</summary>
        /// <returns>The reader whose read has a result now; null for none.</returns>
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

        /// <summary>Leaves the lock, if that is still to be done, and wakes the reader on another thread.</summary>
        public void Dispose()
        {
            if (_body is { } body && Leave() is { } woken)
            {
                body.Owner.Continue(woken);
            }
        }
    }
}

/// <summary>Where the body of a request stands. <see cref="RequestBody.Next"/> has every transition.</summary>
internal enum BodyPhase
{
    /// <summary>The application has not begun, and nothing of the body has come.</summary>
    Awaited,

    /// <summary>The body is whole and empty, known before the application began.</summary>
    Empty,

    /// <summary>More may come.</summary>
    Arriving,

    /// <summary>Every byte has come; the reader reads what is left of them.</summary>
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

    /// <summary>The last declared byte came.</summary>
    LastBytes,

    /// <summary>The end came after every byte.</summary>
    End,

    /// <summary>The end came too early.</summary>
    ShortEnd,

    /// <summary>The rest will not come.</summary>
    Fail,

    /// <summary>The reader must fail, whatever the params say.</summary>
    Refuse,

    /// <summary>The application does not read any more.</summary>
    Drop,

    /// <summary>The stream of an upgraded connection begins.</summary>
    Upgrade,
}
