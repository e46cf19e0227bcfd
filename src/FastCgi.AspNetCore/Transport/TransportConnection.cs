using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// One accepted socket. Every call returns at once, and only the holder of the <em>reading role</em> reads. The
/// transport gives the role to <see cref="ITransportHandler.OnReadable"/>. The handler reads, gives the role back with
/// <see cref="TryEndReading"/> and only then runs the requests it found, so that another thread can serve the next
/// bytes.
/// </summary>
/// <remarks>It closes once. Exceptions of the handler do not reach the reporting thread.</remarks>
/// <param name="logger">The log for exceptions of the handler.</param>
/// <param name="isUnix">True if the peer has no name, and an end of stream ends only its input.</param>
/// <param name="listenedOn">The listener's address. If it is null or a wildcard, the system is asked instead.</param>
internal abstract partial class TransportConnection(ILogger logger, bool isUnix, EndPoint? listenedOn = null)
    : IThreadPoolWorkItem
{
    /// <summary>Returned by <see cref="Receive"/> and <see cref="Send"/>: nothing to read, or no room.</summary>
    public const int WouldBlock = -1;

    /// <summary>
    /// Returned by <see cref="Receive"/> and <see cref="Send"/>: the socket is lost. On TCP, an end of stream is a loss
    /// too, see <see cref="ITransportHandler.OnPeerGone"/>.
    /// </summary>
    public const int Reset = -2;

    private int _closed;
    private volatile bool _readsToEnd;

    // Our address, if all connections of the listener have the same one. Then they share one object.
    private EndPoint? _localEndPoint = listenedOn is IPEndPoint { Address: var address }
        && (address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any))
            ? null
            : listenedOn;

    private EndPoint? _remoteEndPoint;

    /// <summary>Our address; null if the system does not report it.</summary>
    public EndPoint? LocalEndPoint => _localEndPoint ??= ReadLocalName();

    /// <summary>The peer's address; null on unix sockets, whose peers have no name.</summary>
    public EndPoint? RemoteEndPoint => _remoteEndPoint ??= IsUnix ? null : ReadPeerName();

    /// <summary>The socket, for its options and the system's data about the peer. Closed with the connection.</summary>
    /// <exception cref="ObjectDisposedException">The connection is closed.</exception>
    /// <exception cref="NotSupportedException">The connection has no socket.</exception>
    public virtual Socket Socket => throw new NotSupportedException("The connection has no socket.");

    /// <summary>True if <see cref="SendFile"/> saves a copy.</summary>
    public virtual bool SendsFiles => false;

    /// <summary>
    /// True if the transport adds threads, so that its sockets are read while applications block. The thread pool alone
    /// does not ensure that: applications that wait for their bodies could block all of it.
    /// </summary>
    public virtual bool HasOwnThreads => false;

    /// <summary>True for a unix socket, where an end of stream ends only the peer's input.</summary>
    protected bool IsUnix { get; } = isUnix;

    protected bool IsClosed => Volatile.Read(ref _closed) != 0;

    protected bool ReadsToEnd => _readsToEnd;

    protected ILogger Logger => logger;

    /// <summary>Null for a connection that was refused before it was served.</summary>
    protected ITransportHandler? Handler { get; private set; }

    /// <summary>Starts reporting to <paramref name="handler"/>. Called once.</summary>
    public void Start(ITransportHandler handler)
    {
        Handler = handler;
        OnStarted();
    }

    /// <summary>
    /// Reads the available bytes: their number, 0 at the end of a unix socket's stream, <see cref="WouldBlock"/> or
    /// <see cref="Reset"/>. Needs the reading role. A short read means that the socket was emptied. Later bytes are
    /// reported again, so no second call is needed.
    /// </summary>
    public abstract int Receive(Span<byte> buffer);

    /// <summary>True if bytes wait to be received. Any thread; a system call.</summary>
    public abstract bool HasUnread();

    /// <summary>Gives the reading role back. False if more has come: the caller keeps the role and reads on.</summary>
    public abstract bool TryEndReading();

    /// <summary>
    /// Gives the reading role back until <see cref="ResumeReading"/>, for a moment in which no bytes are expected. The
    /// transport need not notice if the peer leaves meanwhile. False if the caller keeps the role.
    /// </summary>
    public virtual bool TryDeferReading() => false;

    /// <summary>
    /// Gives the reading role back until <see cref="ResumeReading"/>: <see cref="ITransportHandler.OnReadable"/> is not
    /// called until then, but <see cref="ITransportHandler.OnPeerGone"/> still is.
    /// </summary>
    public abstract void PauseReading();

    /// <summary>Asks for bytes that came during the pause. Any thread; calls the handler on another stack.</summary>
    public abstract void ResumeReading();

    /// <summary>
    /// Sends as much as fits: the number of bytes, <see cref="WouldBlock"/> or <see cref="Reset"/>. The caller
    /// serialises sends, and sends nothing during a <see cref="SendLater"/>.
    /// </summary>
    public abstract int Send(ReadOnlySpan<byte> data);

    /// <summary>
    /// Sends as much as fits of three pieces as if they were one, see <see cref="Send"/>. This default sends them one
    /// after the other, for sockets that cannot gather.
    /// </summary>
    public virtual int SendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail)
    {
        int sent = Send(head);
        if (sent == head.Length && !body.IsEmpty)
        {
            sent = Add(sent, Send(body));
        }

        if (sent == head.Length + body.Length && !tail.IsEmpty)
        {
            sent = Add(sent, Send(tail));
        }

        return sent;

        static int Add(int sent, int more) => more == Reset ? Reset : sent + Math.Max(more, 0);
    }

    /// <summary>
    /// Sends as much as fits of <paramref name="head"/> and then of a file, directly from the system's cache, see
    /// <see cref="Send"/>. If it sends less, the socket is full or the file cannot be sent in this way: the caller must
    /// read the rest. This default sends only the head.
    /// </summary>
    public virtual int SendFile(ReadOnlySpan<byte> head, FilePart content) => Send(head);

    /// <summary>
    /// Sends all of <paramref name="data"/> as the socket takes it, then calls
    /// <see cref="ITransportHandler.OnSendCompleted"/> on a thread of the transport, never on the caller's stack. The
    /// transport owns the memory until then.
    /// </summary>
    public abstract void SendLater(ReadOnlyMemory<byte> data);

    /// <summary>
    /// True if the peer is known to be gone while no thread reads. Called by the heartbeat while reading is paused, and
    /// after a half-close on a unix socket. Cheap, and safe on any thread.
    /// </summary>
    public abstract bool IsPeerGone();

    /// <summary>Ends our direction after the sent bytes. The peer then reads an end of stream.</summary>
    public abstract void ShutdownSend();

    /// <summary>Makes the peer count as gone only after all its bytes are read.</summary>
    public void ReadToEnd() => _readsToEnd = true;

    /// <summary>
    /// Makes the close reset the connection instead of ending its stream, even if bytes are still on their way. No
    /// effect on unix sockets, which cannot be reset.
    /// </summary>
    public abstract void ResetOnClose();

    /// <summary>
    /// Closes the socket. Idempotent, safe on any thread. A pending <see cref="SendLater"/> completes as failed.
    /// Callbacks that have already begun may still arrive.
    /// </summary>
    public void Close()
    {
        if (Interlocked.Exchange(ref _closed, 1) == 0)
        {
            OnClosing();
        }
    }

    /// <summary>Reports bytes that were there when reading was resumed.</summary>
    void IThreadPoolWorkItem.Execute() => ReportReadable();

    protected abstract void OnStarted();

    /// <summary>Closes. Called once.</summary>
    protected abstract void OnClosing();

    protected abstract EndPoint? ReadLocalName();

    protected abstract EndPoint? ReadPeerName();

    /// <summary>
    /// Gives the reading role to the handler, then runs the requests that wait for this thread. Restores the thread's
    /// state between them, so that no request sees the state of another.
    /// </summary>
    protected void ReportReadable()
    {
        var thread = new LentThread();
        try
        {
            Handler!.OnReadable();
        }
        catch (Exception exception)
        {
            OnHandlerFailed(exception);
        }

        thread.Return();
        while (InlineRuns.TryTakeWaiting(out IThreadPoolWorkItem? waiting))
        {
            try
            {
                waiting.Execute();
            }
            catch (Exception exception)
            {
                OnHandlerFailed(exception);
            }

            thread.Return();
        }
    }

    protected void ReportSendCompleted(bool succeeded) =>
        Report(static (handler, succeeded) => handler.OnSendCompleted(succeeded), succeeded);

    protected void ReportPeerGone() => Report(static (handler, _) => handler.OnPeerGone(), false);

    private void Report(Action<ITransportHandler, bool> report, bool succeeded)
    {
        var thread = new LentThread();
        try
        {
            report(Handler!, succeeded);
        }
        catch (Exception exception)
        {
            OnHandlerFailed(exception);
        }

        thread.Return();
    }

    [LoggerMessage(LogEvents.HandlerFailed, LogLevel.Error,
        "A connection failed by an exception of the server and is closed.")]
    private static partial void HandlerFailed(ILogger logger, Exception exception);

    /// <summary>
    /// Handles an exception of the handler: the thread serves other connections too and must survive. The reading role
    /// of this connection may never be given back, so the connection is closed, and the handler is told.
    /// </summary>
    private void OnHandlerFailed(Exception exception)
    {
        HandlerFailed(logger, exception);
        Close();
        try
        {
            Handler!.OnPeerGone();
        }
        catch (Exception second)
        {
            HandlerFailed(logger, second);
        }
    }
}

/// <summary>Receives the reports of a <see cref="TransportConnection"/>, on threads of the transport.</summary>
internal interface ITransportHandler
{
    /// <summary>
    /// There may be something to read, and the handler holds the reading role. It must give it back with
    /// <see cref="TransportConnection.TryEndReading"/> or <see cref="TransportConnection.PauseReading"/>, or close.
    /// After that, it may run an application on the thread.
    /// </summary>
    void OnReadable();

    /// <summary>A <see cref="TransportConnection.SendLater"/> ended: all was sent, or the socket is lost.</summary>
    void OnSendCompleted(bool succeeded);

    /// <summary>
    /// The peer can neither send nor receive any more: a reset, a hang-up or, on TCP, an end of stream (a web server
    /// that closes has lost its client; on a unix socket a half-close ends only its input). May be called without the
    /// reading role, during a pause, and more than once.
    /// </summary>
    void OnPeerGone();
}

/// <summary>The source of readiness of a started server: the interface of Epoll and Sockets.</summary>
internal interface ITransport : IDisposable
{
    /// <summary>The number of the transport's own threads; 0 if it has none.</summary>
    int WorkerCount { get; }

    /// <summary>
    /// Accepts the connections of a listening socket. Each is passed to <paramref name="onAccepted"/> and reports
    /// nothing before its Start. The callback does not throw.
    /// </summary>
    AcceptLoop NewAcceptLoop(Socket listening, AcceptFailures failures, Action<TransportConnection> onAccepted);
}
