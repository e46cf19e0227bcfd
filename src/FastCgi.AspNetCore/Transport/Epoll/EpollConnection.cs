using System.Net.Sockets;
using System.Runtime.Versioning;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// One socket in the shared set. Any waiting thread may get any of its events, two threads at the same moment too;
/// one interlocked word decides who reads.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed partial class EpollConnection : SocketConnection
{
    private const EpollEvents Interest =
        EpollEvents.Readable | EpollEvents.EndOfInput | EpollEvents.EdgeTriggered;

    /// <summary>The reading role is held by nobody, and stays so until reading is resumed.</summary>
    private const int Paused = 1 << 30;

    private readonly EpollTransport _transport;
    private readonly SafeSocketHandle _handle;

    // The readable events since the role was free. 0 -> 1 takes the role; more make TryEndReading fail.
    private int _signals;

    // The events that the holder of the role has answered by reading. Only the holder touches it.
    private int _answered;

    // The peer of a unix socket ended its direction, and whether Receive has said so (the holder's).
    private volatile bool _inputEnded;
    private bool _endWasRead;
    private volatile bool _peerGone;

    public EpollConnection(Socket socket, EpollTransport transport, ILogger logger)
        : base(socket, logger)
    {
        _transport = transport;
        _handle = socket.SafeHandle;
    }

    /// <summary>What the kernel hands back with each event; set while the connection is in the table.</summary>
    public ulong Token { get; set; }

    /// <inheritdoc/>
    public override void Start(ITransportHandler handler)
    {
        SetHandler(handler);
        _transport.Connections.Add(this);
        int error = Register();
        if (IsClosed)
        {
            // Closed while it was added: its closer may have looked for it in the table too early.
            _transport.Connections.Remove(this);
        }

        if (error != 0)
        {
            _transport.OnRegistrationFailed(error);
            Close();
            ThreadPool.UnsafeQueueUserWorkItem(
                static connection => connection.ReportPeerGone(), this, preferLocal: false);
        }
    }

    /// <inheritdoc/>
    public override int Receive(Span<byte> buffer)
    {
        int received = base.Receive(buffer);
        if (received == 0)
        {
            _endWasRead = true;
        }

        return received;
    }

    /// <inheritdoc/>
    public override bool TryEndReading()
    {
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
    public override void PauseReading() => Interlocked.Or(ref _signals, Paused);

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

    /// <inheritdoc/>
    public override bool IsPeerGone() => _peerGone || IsClosed;

    /// <inheritdoc/>
    public override void Close()
    {
        if (!TryBeginClose())
        {
            return;
        }

        // Leaving the set is implied. An event that another thread has fetched already finds the token gone.
        EndStreamOfTcp();
        Socket.Dispose();
        _transport.Connections.Remove(this);
        FailPendingSend();
    }

    /// <summary>An event from the set, on a waiting thread that may stay as long as an application runs.</summary>
    public void OnEvents(EpollEvents events)
    {
        EpollEvents gone = EpollEvents.Error | EpollEvents.HangUp;
        if (!IsUnix)
        {
            gone |= EpollEvents.EndOfInput;
        }

        if ((events & gone) != 0)
        {
            // Also when bytes are left to read: nobody is there to have them answered.
            _peerGone = true;
            ReportPeerGone();
        }

        if ((events & (EpollEvents.Writable | EpollEvents.Error | EpollEvents.HangUp)) != 0)
        {
            SendPending();
        }

        if ((events & gone) == 0 && (events & (EpollEvents.Readable | EpollEvents.EndOfInput)) != 0)
        {
            if ((events & EpollEvents.EndOfInput) != 0)
            {
                _inputEnded = true;
            }

            if (Interlocked.Increment(ref _signals) == 1)
            {
                _answered = 1;
                ReportReadable();
            }
        }
    }

    private int Register()
    {
        bool isOurs = false;
        try
        {
            _handle.DangerousAddRef(ref isOurs);
            return _transport.Set.TryAdd(_handle.DangerousGetHandle(), Interest, Token);
        }
        catch (ObjectDisposedException)
        {
            return 0;
        }
        finally
        {
            if (isOurs)
            {
                _handle.DangerousRelease();
            }
        }
    }

    /// <summary>Asks for the state of the socket as an event, with writability while a send is pending.</summary>
    private void Rearm()
    {
        lock (_sendLock)
        {
            EpollEvents interest = _sendIsPending ? Interest | EpollEvents.Writable : Interest;
            bool isOurs = false;
            try
            {
                // Without the reference another thread could close the descriptor, and a new connection could have
                // its number by now.
                _handle.DangerousAddRef(ref isOurs);
                _ = _transport.Set.TryModify(_handle.DangerousGetHandle(), interest, Token);
            }
            catch (ObjectDisposedException)
            {
                // Closed meanwhile: whoever closed has failed the pending send.
            }
            finally
            {
                if (isOurs)
                {
                    _handle.DangerousRelease();
                }
            }
        }
    }
}
