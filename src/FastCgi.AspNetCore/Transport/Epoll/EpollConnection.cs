using System.ComponentModel;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Files;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// One socket in the shared set. Its <see cref="ReadingRole"/> decides which thread reads. A <see cref="PendingSend"/>
/// keeps the bytes for which the socket has no room.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed partial class EpollConnection : TransportConnection, IEpollTarget
{
    private const EpollEvents Interest =
        EpollEvents.Readable | EpollEvents.EndOfInput | EpollEvents.EdgeTriggered;

    /// <summary>In bytes. A smaller send does not check whether a unix socket is full.</summary>
    private const int SmallestWindowed = 32 * 1024;

    private readonly EpollTargets _targets;

    // As a lock, it guards _isWatched and the order of the calls that arm the socket.
    private readonly SocketDescriptor _socket;
    private volatile bool _isWatched;

    private ReadingRole _reading;

    // Created by the first send that has to wait.
    private volatile PendingSend? _pendingSend;

    // Written by any thread, from false to true only.
    private volatile bool _peerGone;

    // A second handle of the socket, created when the application asks for it.
    private Socket? _lent;

    /// <summary>
    /// Takes ownership of the socket. The caller has the reading role until it calls <see cref="ReadFirst"/> or
    /// <see cref="Watch"/>.
    /// </summary>
    public EpollConnection(SocketDescriptor socket, EndPoint listenedOn, EpollTargets targets, ILogger logger)
        : base(logger, isUnix: listenedOn is not IPEndPoint, listenedOn)
    {
        _socket = socket;
        _targets = targets;
        _reading = new ReadingRole(isHeld: true);
    }

    public override Socket Socket => Volatile.Read(ref _lent) ?? Lend();

    public override bool SendsFiles => true;

    public override bool HasOwnThreads => true;

    public ulong Token { get; set; }

    protected override void OnStarted()
    {
        _targets.Add(this);
        if (IsClosed)
        {
            // Closed while it was being added: the closing thread may have looked for it in the table too early.
            _targets.Remove(this);
        }
    }

    /// <summary>
    /// Reads on this thread and runs the request. Only then does the connection enter the set: bytes that are already
    /// there, usually the first request, need no event. Does nothing if the connection was refused.
    /// </summary>
    public void ReadFirst()
    {
        if (Handler is not null && !IsClosed)
        {
            ReportReadable();
        }
    }

    /// <summary>Gives the reading role to the thread that gets the first event.</summary>
    public void Watch()
    {
        if (Handler is not null && !IsClosed)
        {
            ReleaseReading();
        }
    }

    public override int Receive(Span<byte> buffer)
    {
        int received = _socket.Receive(buffer);
        if (received == 0)
        {
            _reading.OnEndRead();
            return IsUnix ? 0 : Reset;
        }

        return received;
    }

    public override bool HasUnread() => _socket.HasUnread();

    public override int Send(ReadOnlySpan<byte> data) => IsFullFor(data.Length) ? WouldBlock : _socket.Send(data);

    public override int SendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail) =>
        IsFullFor(body.Length) ? WouldBlock : _socket.SendGathered(head, body, tail);

    public override int SendFile(ReadOnlySpan<byte> head, FilePart content) => _socket.SendFile(head, content);

    public override void SendLater(ReadOnlyMemory<byte> data)
    {
        (_pendingSend ??= new PendingSend(_socket)).Begin(data);

        // If there is room by now, writability is reported at once.
        Rearm();
        if (IsClosed)
        {
            FailPendingSend();
        }
    }

    public override bool TryEndReading()
    {
        if (!_isWatched)
        {
            // Before the role is free: adding the socket signals bytes that came since the last receive.
            Rearm();
        }

        // A closed socket may have signalled its own end of stream, which needs no reader.
        return _reading.TryGiveBack() || IsClosed;
    }

    /// <summary>If the socket is not watched yet and closes first, it never has to enter the set.</summary>
    public override bool TryDeferReading()
    {
        if (_isWatched)
        {
            return false;
        }

        _reading.Pause();
        return true;
    }

    public override void PauseReading()
    {
        if (!_isWatched)
        {
            // Watched, so that a peer that leaves is noticed while no thread reads.
            Rearm();
        }

        _reading.Pause();
    }

    public override void ResumeReading()
    {
        if (!IsClosed && _reading.TryResume())
        {
            // Bytes that came during the pause cause a new event, on a thread of the transport.
            Rearm();
        }
    }

    public override bool IsPeerGone() => IsClosed || (_peerGone && !(ReadsToEnd && HasUnread()));

    public override void ShutdownSend() => _socket.ShutdownSend();

    public override void ResetOnClose()
    {
        if (!IsUnix)
        {
            _socket.ResetOnClose();
        }
    }

    protected override EndPoint? ReadLocalName() => _socket.Name(ofPeer: false);

    protected override EndPoint? ReadPeerName() => _socket.Name(ofPeer: true);

    protected override void OnClosing()
    {
        // A closed descriptor leaves the set by itself. An event that was already fetched no longer finds the token.
        _socket.Dispose();
        Interlocked.Exchange(ref _lent, null)?.Dispose();
        _targets.Remove(this);
        FailPendingSend();
    }

    public void OnEvents(EpollEvents events)
    {
        // 2. Take: this thread becomes the reader, unless another one is.
        bool isReader = ReadsOnAfter(events) && TryTakeReading(events);
        if ((events & (EpollEvents.Writable | EpollEvents.Error | EpollEvents.HangUp)) != 0
            && _pendingSend is { } send && send.TryEnd(out bool succeeded))
        {
            // The continuation of the send may keep this thread, so another thread reads. Either way the set no longer
            // has to report writability.
            if (isReader)
            {
                isReader = false;
                ReleaseReading();
            }
            else
            {
                Rearm();
            }

            ReportSendCompleted(succeeded);
        }

        if (isReader)
        {
            ReportReadable();
        }
    }

    public void Rearm()
    {
        int error;
        lock (_socket)
        {
            // Read under the lock, so that the last call that arms uses the last state of the send.
            EpollEvents interest =
                _pendingSend is { IsUnderWay: true } ? Interest | EpollEvents.Writable : Interest;
            error = _targets.Arm(_socket, _isWatched, interest, Token);
            _isWatched |= error == 0;
        }

        if (error != 0)
        {
            // Without events the connection would hang forever.
            if (_targets.Refusals.TryEnter(out long count))
            {
                RegistrationFailed(Logger, new Win32Exception(error).Message, count);
            }

            Close();
            EndingThreads.Queue(static connection => connection.ReportPeerGone(), this);
        }
    }

    [LoggerMessage(LogEvents.RegistrationFailed, LogLevel.Error,
        "A connection is closed because the system does not watch its socket: {Reason} ({Count} since the last such "
        + "entry.)")]
    private static partial void RegistrationFailed(ILogger logger, string reason, long count);

    /// <summary>Reports a peer that has left. False if the remaining bytes need no answer.</summary>
    private bool ReadsOnAfter(EpollEvents events)
    {
        EpollEvents gone = EpollEvents.Error | EpollEvents.HangUp;
        if (!IsUnix)
        {
            gone |= EpollEvents.EndOfInput;
        }

        if ((events & gone) == 0)
        {
            return true;
        }

        _peerGone = true;
        if (ReadsToEnd && (events & (EpollEvents.Readable | EpollEvents.EndOfInput)) != 0)
        {
            return true;
        }

        ReportPeerGone();
        return false;
    }

    private bool TryTakeReading(EpollEvents events)
    {
        if ((events & (EpollEvents.Readable | EpollEvents.EndOfInput)) == 0)
        {
            return false;
        }

        if ((events & EpollEvents.EndOfInput) != 0)
        {
            _reading.OnInputEnded();
        }

        return _reading.TryTake();
    }

    private bool IsFullFor(int count) => count >= SmallestWindowed && IsUnix && _socket.IsUnixWindowFull();

    private Socket Lend()
    {
        var made = new Socket(_socket.Duplicate());
        Socket? lent = Interlocked.CompareExchange(ref _lent, made, null);
        if (lent is not null)
        {
            made.Dispose();
            return lent;
        }

        if (IsClosed)
        {
            // The closing thread may have looked for it too early.
            made.Dispose();
        }

        return made;
    }

    private void ReleaseReading()
    {
        _reading.Release();
        Rearm();
    }

    /// <summary>Fails the send of a closed socket, on another thread: the caller may hold locks.</summary>
    private void FailPendingSend()
    {
        // The closed socket drops the unsent bytes.
        if (_pendingSend is { } send && send.TryEnd(out _))
        {
            EndingThreads.Queue(static connection => connection.ReportSendCompleted(false), this);
        }
    }

    /// <summary>A send for which the socket had no room. Continues when the socket is writable.</summary>
    private sealed class PendingSend(SocketDescriptor socket)
    {
        // Guards both fields. Held during sends, which do not block.
        private readonly Lock _lock = new();
        private ReadOnlyMemory<byte> _unsent;
        private volatile bool _isUnderWay;

        public bool IsUnderWay => _isUnderWay;

        /// <summary>Begins a send. The caller must then arm the connection for writability.</summary>
        public void Begin(ReadOnlyMemory<byte> data)
        {
            using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Transport);
            if (_isUnderWay)
            {
                throw new InvalidOperationException("A send is under way already.");
            }

            _unsent = data;
            _isUnderWay = true;
        }

        /// <summary>Sends as much as fits. True, for one caller, if the send has ended or the socket is lost.</summary>
        public bool TryEnd(out bool succeeded)
        {
            succeeded = true;
            using Lock.Scope scope = LockOrder.Enter(_lock, LockRank.Transport);
            if (!_isUnderWay)
            {
                return false;
            }

            while (succeeded && !_unsent.IsEmpty)
            {
                int sent = socket.Send(_unsent.Span);
                if (sent == WouldBlock)
                {
                    // The socket is full, so another event will come.
                    return false;
                }

                succeeded = sent != Reset;
                _unsent = succeeded ? _unsent[sent..] : default;
            }

            _unsent = default;
            _isUnderWay = false;
            return true;
        }
    }
}

/// <summary>
/// Decides which thread reads a connection. Any waiting thread may get any event of the connection, even two threads at
/// the same time. One shared word makes exactly one of them the reader.
/// </summary>
/// <remarks>
/// The word counts the readable events since the role was free. The change from 0 to 1 takes the role. Further events
/// make <see cref="TryGiveBack"/> fail, so that the holder reads again. Each method is one atomic step on the word.
/// </remarks>
internal struct ReadingRole
{
    /// <summary>The role is free, and no event takes it until <see cref="TryResume"/>.</summary>
    private const int Paused = 1 << 30;

    // Shared by all threads.
    private int _signals;
    private volatile bool _inputEnded;

    // Written by the holder only: the number of answered events, and whether it has read the end of the stream.
    private int _answered;
    private bool _endWasRead;

    /// <param name="isHeld">True if the caller has the role from the start.</param>
    public ReadingRole(bool isHeld) => _signals = _answered = isHeld ? 1 : 0;

    /// <summary>Notes that the peer has ended its direction. Before <see cref="TryTake"/> of that event.</summary>
    public void OnInputEnded() => _inputEnded = true;

    /// <summary>Counts a readable event. True if the caller is the reader from now on.</summary>
    public bool TryTake()
    {
        if (Interlocked.Increment(ref _signals) != 1)
        {
            return false;
        }

        _answered = 1;
        return true;
    }

    /// <summary>Notes that the holder has read the end of the stream.</summary>
    public void OnEndRead() => _endWasRead = true;

    /// <summary>Gives the role back. False if more has come meanwhile, and the holder must read again.</summary>
    public bool TryGiveBack()
    {
        // One event may bring the last bytes and the end of the stream. Then the end has not been read yet.
        if (_inputEnded && !_endWasRead)
        {
            _answered = Volatile.Read(ref _signals);
            return false;
        }

        int found = Interlocked.CompareExchange(ref _signals, 0, _answered);
        if (found == _answered)
        {
            return true;
        }

        _answered = found;
        return false;
    }

    /// <summary>Leaves the role to the next event. The holder must then arm the connection.</summary>
    public void Release() => Volatile.Write(ref _signals, 0);

    /// <summary>Gives the role back. No event takes it until <see cref="TryResume"/>.</summary>
    public void Pause() => Interlocked.Or(ref _signals, Paused);

    /// <summary>Ends a pause. True, for one caller, which must then arm the connection.</summary>
    public bool TryResume()
    {
        int signals = Volatile.Read(ref _signals);
        while ((signals & Paused) != 0)
        {
            int found = Interlocked.CompareExchange(ref _signals, 0, signals);
            if (found == signals)
            {
                return true;
            }

            signals = found;
        }

        return false;
    }
}
