using System.Net;
using System.Runtime.Versioning;
using FastCgi.AspNetCore.Files;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// One socket in the shared set. Any waiting thread may get any of its events, two threads at the same moment too;
/// one interlocked word decides who reads.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed partial class EpollConnection : SocketConnection, IEpollTarget
{
    private const EpollEvents Interest =
        EpollEvents.Readable | EpollEvents.EndOfInput | EpollEvents.EdgeTriggered;

    /// <summary>The reading role is held by nobody, and stays so until reading is resumed.</summary>
    private const int Paused = 1 << 30;

    private readonly EpollTransport _transport;
    private readonly SocketDescriptor _socket;
    private readonly bool _isHeld;
    private EndPoint? _localEndPoint;
    private EndPoint? _remoteEndPoint;

    // In the set; a change only under the lock of sending.
    private volatile bool _isWatched;

    // The readable events since the role was free. 0 -> 1 takes the role; more make TryEndReading fail.
    private int _signals;

    // The events that the holder of the role has answered by reading. Only the holder touches it.
    private int _answered;

    // The peer of a unix socket ended its direction, and whether Receive has said so (the holder's).
    private volatile bool _inputEnded;
    private bool _endWasRead;

    /// <param name="socket">Ours from here on; it does not block.</param>
    /// <param name="listenedOn">The listener's name, which on a unix socket is our end's too.</param>
    /// <param name="transport">Whose threads serve it.</param>
    /// <param name="logger">For what fails on those threads.</param>
    /// <param name="isHeld">
    /// The caller has the reading role until it calls <see cref="ReadFirst"/> or <see cref="Watch"/>.
    /// </param>
    public EpollConnection(
        SocketDescriptor socket, EndPoint listenedOn, EpollTransport transport, ILogger logger, bool isHeld = false)
        : base(logger, isUnix: listenedOn is not IPEndPoint)
    {
        _socket = socket;
        _localEndPoint = IsUnix ? listenedOn : null;
        _transport = transport;
        _isHeld = isHeld;
        _signals = isHeld ? 1 : 0;
        _answered = _signals;
    }

    /// <inheritdoc/>
    public override EndPoint? LocalEndPoint => _localEndPoint ??= NameOf(static socket => socket.LocalName());

    /// <inheritdoc/>
    public override EndPoint? RemoteEndPoint =>
        _remoteEndPoint ??= IsUnix ? null : NameOf(static socket => socket.PeerName());

    /// <inheritdoc/>
    public override bool SendsFiles => true;

    /// <inheritdoc/>
    public override bool HasOwnThreads => true;

    /// <inheritdoc/>
    public ulong Token { get; set; }

    /// <inheritdoc/>
    public override void Start(ITransportHandler handler)
    {
        SetHandler(handler);
        _transport.Targets.Add(this);
        if (IsClosed)
        {
            // Closed while it was added: its closer may have looked for it in the table too early.
            _transport.Targets.Remove(this);
        }

        if (!_isHeld)
        {
            EnterSet();
        }
    }

    /// <summary>
    /// Reads on this thread, and runs what came. Only then does the connection enter the set: what has come already, as
    /// the first request of most connections, needs no event. For a held connection that was started, or refused.
    /// </summary>
    public void ReadFirst()
    {
        if (HasHandler && !IsClosed)
        {
            ReportReadable();
        }
    }

    /// <summary>Gives a held connection to whichever thread gets its first event.</summary>
    public void Watch()
    {
        if (HasHandler && !IsClosed)
        {
            Volatile.Write(ref _signals, 0);
            EnterSet();
        }
    }

    /// <inheritdoc/>
    public override int Receive(Span<byte> buffer)
    {
        int received;
        try
        {
            received = _socket.Receive(buffer);
        }
        catch (ObjectDisposedException)
        {
            // Another thread closed the connection while this one was about to read.
            return Reset;
        }

        if (received == 0)
        {
            _endWasRead = true;
            return IsUnix ? 0 : Reset;
        }

        return received;
    }

    /// <inheritdoc/>
    public override bool HasUnread()
    {
        try
        {
            return _socket.HasUnread();
        }
        catch (ObjectDisposedException)
        {
            return false;
        }
    }

    /// <inheritdoc/>
    public override int Send(ReadOnlySpan<byte> data)
    {
        try
        {
            return _socket.Send(data);
        }
        catch (ObjectDisposedException)
        {
            return Reset;
        }
    }

    /// <inheritdoc/>
    public override int SendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail)
    {
        try
        {
            return _socket.SendGathered(head, body, tail);
        }
        catch (ObjectDisposedException)
        {
            return Reset;
        }
    }

    /// <inheritdoc/>
    public override int SendFile(ReadOnlySpan<byte> head, FilePart content)
    {
        try
        {
            return _socket.SendFile(head, content);
        }
        catch (ObjectDisposedException)
        {
            return Reset;
        }
    }

    /// <inheritdoc/>
    public override bool TryEndReading()
    {
        if (!_isWatched)
        {
            // Before the role is free: bytes that came since the last receive are signalled by the entry itself.
            EnterSet();
        }

        // The last bytes and the end of the stream may have come by one event: the end is still to be read then.
        bool endIsUnread = _inputEnded && !_endWasRead;
        if ((!endIsUnread && Interlocked.CompareExchange(ref _signals, 0, _answered) == _answered) || IsClosed)
        {
            // Closed, it may have signalled its own end of stream, and nobody has to read that.
            return true;
        }

        _answered = Volatile.Read(ref _signals);
        return false;
    }

    /// <inheritdoc/>
    public override void PauseReading()
    {
        if (!_isWatched)
        {
            // A peer that leaves is noticed also while nobody reads.
            EnterSet();
        }

        Interlocked.Or(ref _signals, Paused);
    }

    /// <inheritdoc/>
    public override void ResumeReading()
    {
        int signals = Volatile.Read(ref _signals);
        while ((signals & Paused) != 0)
        {
            int found = Interlocked.CompareExchange(ref _signals, 0, signals);
            if (found == signals)
            {
                // Whatever is there is reported anew, on a thread of the transport.
                Rearm();
                return;
            }

            signals = found;
        }
    }

    /// <summary>An event from the set, on a waiting thread that may stay as long as an application runs.</summary>
    public void OnEvents(EpollEvents events)
    {
        EpollEvents gone = EpollEvents.Error | EpollEvents.HangUp;
        if (!IsUnix)
        {
            gone |= EpollEvents.EndOfInput;
        }

        bool readsOn = true;
        if ((events & gone) != 0)
        {
            _peerGone = true;
            readsOn = _readsToEnd && (events & (EpollEvents.Readable | EpollEvents.EndOfInput)) != 0;
            if (!readsOn)
            {
                // Also when bytes are left to read: nobody is there to have them answered.
                ReportPeerGone();
            }
        }

        bool isReader = readsOn && TryTakeReadingRole(events);
        if ((events & (EpollEvents.Writable | EpollEvents.Error | EpollEvents.HangUp)) != 0)
        {
            if (isReader)
            {
                // Whoever waited to send goes on here, and what there is to read does not wait for that.
                isReader = false;
                ThreadPool.UnsafeQueueUserWorkItem(
                    static connection => connection.ReportReadable(), this, preferLocal: false);
            }

            SendPending();
        }

        if (isReader)
        {
            ReportReadable();
        }
    }

    private bool TryTakeReadingRole(EpollEvents events)
    {
        if ((events & (EpollEvents.Readable | EpollEvents.EndOfInput)) == 0)
        {
            return false;
        }

        if ((events & EpollEvents.EndOfInput) != 0)
        {
            _inputEnded = true;
        }

        if (Interlocked.Increment(ref _signals) != 1)
        {
            return false;
        }

        _answered = 1;
        return true;
    }

    /// <summary>Begins to be watched, and closes if the system refuses that.</summary>
    private void EnterSet()
    {
        int error = Rearm();
        if (error != 0)
        {
            _transport.OnRegistrationFailed(error);
            Close();
            ThreadPool.UnsafeQueueUserWorkItem(
                static connection => connection.ReportPeerGone(), this, preferLocal: false);
        }
    }

    /// <summary>
    /// Asks for the state of the socket as an event, with writability while a send is pending. The error number.
    /// </summary>
    public int Rearm()
    {
        lock (_sendLock)
        {
            EpollEvents interest = _sendIsPending ? Interest | EpollEvents.Writable : Interest;
            bool isOurs = false;
            try
            {
                // Without the reference another thread could close the descriptor, and a new connection could have
                // its number by now.
                _socket.DangerousAddRef(ref isOurs);
                int error = _isWatched
                    ? _transport.Set.TryModify(_socket.Descriptor, interest, Token)
                    : _transport.Set.TryAdd(_socket.Descriptor, interest, Token);
                _isWatched = true;
                return error;
            }
            catch (ObjectDisposedException)
            {
                // Closed meanwhile: whoever closed has failed the pending send.
                return 0;
            }
            finally
            {
                if (isOurs)
                {
                    _socket.DangerousRelease();
                }
            }
        }
    }

    private IPEndPoint? NameOf(Func<SocketDescriptor, IPEndPoint?> end)
    {
        try
        {
            return end(_socket);
        }
        catch (ObjectDisposedException)
        {
            return null;
        }
    }
}
