namespace FastCgi.AspNetCore.Transport.Sockets;

/// <summary>
/// One socket that detects readiness by a receive of zero bytes, which completes when there is something to read and
/// needs no buffer. The reading role is the right to start that receive.
/// </summary>
internal sealed class SocketsConnection : TransportConnection
{
    // The bits of _receive: a receive of zero bytes is pending; the connection is closed.
    private const int Pending = 1;
    private const int Closed = 2;

    private readonly Operation _readable;
    private Operation? _sendable;
    private ReadOnlyMemory<byte> _unsent;
    private int _paused;
    private int _receive;
    private bool _sendShutDown;
    private volatile bool _resets;

    public SocketsConnection(Socket socket, EndPoint listenedOn, ILogger logger)
        : base(logger, socket.AddressFamily == AddressFamily.Unix, listenedOn)
    {
        Socket = socket;
        socket.Blocking = false;
        if (!IsUnix && !OperatingSystem.IsLinux())
        {
            // On Linux it is inherited from the listening socket.
            socket.Try(static tcp => tcp.NoDelay = true);
        }

        _readable = new Operation(this, static owner => owner.OnReceiveCompleted());
        _readable.SetBuffer(Memory<byte>.Empty);
    }

    public override Socket Socket { get; }

    public override int Receive(Span<byte> buffer)
    {
        try
        {
            int received = Socket.Receive(buffer, SocketFlags.None, out SocketError error);
            return error == SocketError.Success && (received > 0 || IsUnix) ? received : Failure(error);
        }
        catch (ObjectDisposedException)
        {
            // Another thread closed the connection while this one was about to read.
            return Reset;
        }
    }

    public override bool HasUnread() => Socket.Try(static socket => socket.Available > 0, otherwise: false);

    public override int Send(ReadOnlySpan<byte> data)
    {
        try
        {
            int sent = Socket.Send(data, SocketFlags.None, out SocketError error);
            return error == SocketError.Success ? sent : Failure(error);
        }
        catch (ObjectDisposedException)
        {
            return Reset;
        }
    }

    public override bool TryEndReading()
    {
        Interlocked.Or(ref _receive, Pending);
        try
        {
            if (Socket.ReceiveAsync(_readable))
            {
                return true;
            }
        }
        catch (ObjectDisposedException)
        {
            return true;
        }

        EndReceive();
        return false;
    }

    public override void PauseReading() => Volatile.Write(ref _paused, 1);

    public override void ResumeReading()
    {
        // If two threads resume, only one of them may start the receive.
        if (Interlocked.Exchange(ref _paused, 0) != 0)
        {
            Arm();
        }
    }

    public override void SendLater(ReadOnlyMemory<byte> data)
    {
        _unsent = data;
        _sendable ??= new Operation(this, static owner => owner.ContinueSend());
        if (!TryStartSend())
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                static connection => connection.ContinueSend(), this, preferLocal: false);
        }
    }

    /// <summary>
    /// A send of zero bytes fails once the peer has closed a unix socket or reset a TCP connection. The end of a TCP
    /// stream is visible only when nothing is left to read before it.
    /// </summary>
    public override bool IsPeerGone()
    {
        if (ReadsToEnd && HasUnread())
        {
            return false;
        }

        return IsClosed || (!_sendShutDown && Send([]) == Reset) || (!IsUnix && IsAtEnd());
    }

    public override void ShutdownSend()
    {
        // From now on a send fails because of us, and tells nothing about the peer.
        _sendShutDown = true;
        EndStream(SocketShutdown.Send);
    }

    public override void ResetOnClose()
    {
        if (IsUnix)
        {
            return;
        }

        _resets = true;
        Socket.Try(static socket => socket.LingerState = new LingerOption(enable: true, seconds: 0));
    }

    protected override void OnStarted() => Arm();

    protected override EndPoint? ReadLocalName() => Socket.Try(static socket => socket.LocalEndPoint, otherwise: null);

    protected override EndPoint? ReadPeerName() => Socket.Try(static socket => socket.RemoteEndPoint, otherwise: null);

    protected override void OnClosing()
    {
        // Disposing a TCP socket with a pending receive resets the connection, which could cost the peer the end of an
        // answer. So the receive is ended first, and the thread that sees its end disposes the socket.
        if ((Interlocked.Or(ref _receive, Closed) & Pending) == 0 || _resets)
        {
            Release();
            return;
        }

        if (!EndStream(SocketShutdown.Both))
        {
            // The peer has reset the connection: no answer is left to lose.
            Release();
        }
    }

    private static int Failure(SocketError error) => error == SocketError.WouldBlock ? WouldBlock : Reset;

    private void Arm()
    {
        if (!TryEndReading())
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    private void OnReceiveCompleted()
    {
        EndReceive();
        if (!IsClosed)
        {
            ReportReadable();
        }
    }

    private void EndReceive()
    {
        if ((Interlocked.And(ref _receive, ~Pending) & Closed) != 0)
        {
            Release();
        }
    }

    /// <summary>Disposes the socket and its operations. A pending send is aborted; then they free themselves.</summary>
    private void Release()
    {
        if (!IsUnix && !_resets)
        {
            // If another thread is in a call on the socket, the disposal frees it by a reset, which could cost the peer
            // the end of an answer. It does not if our direction of the stream has ended before.
            EndStream(SocketShutdown.Send);
        }

        Socket.Dispose();
        _readable.Dispose();
        _sendable?.Dispose();
    }

    /// <summary>False if no direction was left to end.</summary>
    private bool EndStream(SocketShutdown directions) => Socket.Try(socket => socket.Shutdown(directions));

    private bool IsAtEnd() => Socket.Try(
        static socket =>
        {
            Span<byte> next = stackalloc byte[1];
            int peeked = socket.Receive(next, SocketFlags.Peek, out SocketError error);
            return error == SocketError.Success ? peeked == 0 : error != SocketError.WouldBlock;
        },
        otherwise: true);

    /// <summary>False if the send has ended or the connection is closed. Then no completion will be reported.</summary>
    private bool TryStartSend()
    {
        try
        {
            _sendable!.SetBuffer(MemoryMarshal.AsMemory(_unsent));
            return Socket.SendAsync(_sendable);
        }
        catch (ObjectDisposedException)
        {
            return false;
        }
    }

    private void ContinueSend()
    {
        do
        {
            bool succeeded = !IsClosed && _sendable!.SocketError == SocketError.Success;
            _unsent = succeeded ? _unsent[_sendable!.BytesTransferred..] : default;
            if (_unsent.IsEmpty)
            {
                ReportSendCompleted(succeeded);
                return;
            }
        }
        while (!TryStartSend());
    }

    /// <summary>
    /// One reusable operation of the socket. Its completion has no execution context: the code that runs then may serve
    /// another request than the one that started the operation. The delegate gets the owner, so that all connections
    /// share it.
    /// </summary>
    private sealed class Operation(SocketsConnection owner, Action<SocketsConnection> completed)
        : SocketAsyncEventArgs(SuppressExecutionContext)
    {
        private const bool SuppressExecutionContext = true;

        protected override void OnCompleted(SocketAsyncEventArgs e) => completed(owner);
    }
}
