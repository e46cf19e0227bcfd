using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// One accepted socket, as the connection sees it: every call returns at once, and only the holder of the
/// <em>reading role</em> reads. The transport hands the role over by
/// <see cref="ITransportHandler.OnReadable"/>; the handler reads, gives it back by <see cref="TryEndReading"/>
/// and only then runs what it found, so that another thread can serve the next bytes meanwhile.
/// </summary>
/// <remarks>It closes once, and no exception of the handler reaches the thread that reports.</remarks>
/// <param name="logger">For what the handler throws.</param>
/// <param name="isUnix">The peer has no name, and an end of stream is only the end of its input.</param>
/// <param name="listenedOn">The address of the listener, if the system knows others of the connection.</param>
internal abstract partial class TransportConnection(ILogger logger, bool isUnix, EndPoint? listenedOn = null)
    : IThreadPoolWorkItem
{
    /// <summary>Returned by <see cref="Receive"/> and <see cref="Send"/>: nothing to read or no room now.</summary>
    public const int WouldBlock = -1;

    /// <summary>
    /// Returned by <see cref="Receive"/> and <see cref="Send"/>: the socket is lost. On TCP an end of stream is a loss
    /// too, as <see cref="ITransportHandler.OnPeerGone"/> says.
    /// </summary>
    public const int Reset = -2;

    private int _closed;
    private volatile bool _readsToEnd;

    // Our end, if all connections of the listener have the same: one object serves them.
    private EndPoint? _localEndPoint = listenedOn is IPEndPoint { Address: var address }
        && (address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any))
            ? null
            : listenedOn;

    private EndPoint? _remoteEndPoint;

    /// <summary>Our end; null if the system does not tell.</summary>
    public EndPoint? LocalEndPoint => _localEndPoint ??= ReadLocalName();

    /// <summary>The peer's end; null on unix sockets, whose peers have no name.</summary>
    public EndPoint? RemoteEndPoint => _remoteEndPoint ??= IsUnix ? null : ReadPeerName();

    /// <summary>The socket, for options and what the system knows of the peer. Closed with the connection.</summary>
    /// <exception cref="ObjectDisposedException">The connection is closed.</exception>
    /// <exception cref="NotSupportedException">There is no socket below.</exception>
    public virtual Socket Socket => throw new NotSupportedException("The connection has no socket.");

    /// <summary>Whether <see cref="SendFile"/> saves a copy.</summary>
    public virtual bool SendsFiles => false;

    /// <summary>
    /// Whether the transport sees to it that its sockets are read while an application keeps a thread, by threads that
    /// it adds. The thread pool alone does not: applications that wait for their bodies could hold all of it.
    /// </summary>
    public virtual bool HasOwnThreads => false;

    /// <summary>On a unix socket an end of stream is only the end of the peer's input.</summary>
    protected bool IsUnix { get; } = isUnix;

    protected bool IsClosed => Volatile.Read(ref _closed) != 0;

    /// <summary>The peer counts as gone only when all that it sent is read.</summary>
    protected bool ReadsToEnd => _readsToEnd;

    protected ILogger Logger => logger;

    /// <summary>Null for a connection that was refused before it was served.</summary>
    protected ITransportHandler? Handler { get; private set; }

    /// <summary>Begins to report to <paramref name="handler"/>. Called once.</summary>
    public void Start(ITransportHandler handler)
    {
        Handler = handler;
        OnStarted();
    }

    /// <summary>
    /// Reads what is there: the number of bytes, 0 at the end of the stream of a unix socket, <see cref="WouldBlock"/>
    /// or <see cref="Reset"/>. Needs the reading role. A short read means that the socket was emptied:
    /// later bytes are reported again, so no second call is needed to learn of them.
    /// </summary>
    public abstract int Receive(Span<byte> buffer);

    /// <summary>Whether bytes wait to be received. Any thread; asks the system.</summary>
    public abstract bool HasUnread();

    /// <summary>Gives the reading role back. False: more came meanwhile, the caller keeps it and reads on.</summary>
    public abstract bool TryEndReading();

    /// <summary>
    /// Gives the reading role back until <see cref="ResumeReading"/>, and need not notice meanwhile that the peer
    /// leaves: for a moment in which no more is expected. False: the caller keeps the role.
    /// </summary>
    public virtual bool TryDeferReading() => false;

    /// <summary>
    /// Gives the reading role back without asking for more: <see cref="ITransportHandler.OnReadable"/> is not called
    /// until <see cref="ResumeReading"/>, <see cref="ITransportHandler.OnPeerGone"/> still is.
    /// </summary>
    public abstract void PauseReading();

    /// <summary>Asks for what came during the pause. Any thread; the handler is called on another stack.</summary>
    public abstract void ResumeReading();

    /// <summary>
    /// Sends what fits: the number of bytes, <see cref="WouldBlock"/> or <see cref="Reset"/>. The caller serialises
    /// sends, and sends nothing while a <see cref="SendLater"/> is under way.
    /// </summary>
    public abstract int Send(ReadOnlySpan<byte> data);

    /// <summary>
    /// Sends what fits of three pieces, one after the other, as if they were one; see <see cref="Send"/>.
    /// Here one call after the other, for sockets that cannot gather.
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
    /// Sends what fits of <paramref name="head"/> and then of a file, straight from the system's cache; see <see
    /// cref="Send"/>. Less than all of it came off when the socket has no more room, or when the file cannot be sent
    /// so: the rest is to be read. Here the head alone, for sockets that cannot.
    /// </summary>
    public virtual int SendFile(ReadOnlySpan<byte> head, FilePart content) => Send(head);

    /// <summary>
    /// Sends all of <paramref name="data"/> as the socket takes it, then calls
    /// <see cref="ITransportHandler.OnSendCompleted"/> on a thread of the transport, never on the caller's stack.
    /// The memory belongs to the transport until then.
    /// </summary>
    public abstract void SendLater(ReadOnlyMemory<byte> data);

    /// <summary>
    /// Whether the peer is known to be gone while no thread reads. Asked by the heartbeat while reading is paused, and
    /// after a half-close on a unix socket. Cheap, and safe on any thread.
    /// </summary>
    public abstract bool IsPeerGone();

    /// <summary>Ends our direction of the stream after what was sent; the peer reads an end of stream.</summary>
    public abstract void ShutdownSend();

    /// <summary>From now on the peer counts as gone only when all that it sent is read.</summary>
    public void ReadToEnd() => _readsToEnd = true;

    /// <summary>
    /// The close will reset the connection instead of ending its stream, whatever is still on its way. No effect on
    /// unix sockets, which have no such thing.
    /// </summary>
    public abstract void ResetOnClose();

    /// <summary>
    /// Closes the socket. Idempotent, safe on any thread. A pending <see cref="SendLater"/> completes as failed;
    /// callbacks that were already under way may still arrive.
    /// </summary>
    public void Close()
    {
        if (Interlocked.Exchange(ref _closed, 1) == 0)
        {
            OnClosing();
        }
    }

    /// <summary>There was something to read at once when reading was resumed.</summary>
    void IThreadPoolWorkItem.Execute() => ReportReadable();

    /// <summary>Begins to report.</summary>
    protected abstract void OnStarted();

    /// <summary>Closes. Called once.</summary>
    protected abstract void OnClosing();

    /// <summary>Our end; null if the system does not tell.</summary>
    protected abstract EndPoint? ReadLocalName();

    /// <summary>The peer's end; null if the peer has left already, and its name with it.</summary>
    protected abstract EndPoint? ReadPeerName();

    /// <summary>
    /// Hands the reading role to the handler, then runs the requests that wait for this thread. Between them the thread
    /// is given back as it was, so that nothing of one request is seen by the next.
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
        "A connection failed by an exception of the server and is closed.",
        EventName = nameof(LogEvents.HandlerFailed))]
    private static partial void LogHandlerFailed(ILogger logger, Exception exception);

    /// <summary>
    /// The thread serves other connections too and must survive. This connection may be left with its reading role
    /// taken for ever, so it is closed, and the handler is told, for what it still holds.
    /// </summary>
    private void OnHandlerFailed(Exception exception)
    {
        LogHandlerFailed(logger, exception);
        Close();
        try
        {
            Handler!.OnPeerGone();
        }
        catch (Exception second)
        {
            LogHandlerFailed(logger, second);
        }
    }
}

/// <summary>Receives the reports of a <see cref="TransportConnection"/>, on threads of the transport.</summary>
internal interface ITransportHandler
{
    /// <summary>
    /// There may be something to read, and the handler now holds the reading role. It must give it back by
    /// <see cref="TransportConnection.TryEndReading"/> or <see cref="TransportConnection.PauseReading"/>, or close.
    /// It may use the thread for an application after that.
    /// </summary>
    void OnReadable();

    /// <summary>A <see cref="TransportConnection.SendLater"/> ended: all was sent, or the socket is lost.</summary>
    void OnSendCompleted(bool succeeded);

    /// <summary>
    /// The peer can neither send nor receive any more: a reset or a hang-up, and on TCP an end of stream too
    /// (a web server that closes has lost its client; on a unix socket a half-close is only the end of its input).
    /// May be called without the reading role, while reading is paused, and more than once.
    /// </summary>
    void OnPeerGone();
}

/// <summary>Where readiness comes from, one for a started server: the seam between Epoll and Sockets.</summary>
internal interface ITransport : IDisposable
{
    /// <summary>Threads of the transport's own; 0 if it has none.</summary>
    int WorkerCount { get; }

    /// <summary>
    /// Accepts the connections of a listening socket. Each is handed to <paramref name="onAccepted"/> and reports
    /// nothing before its Start. The callback does not throw.
    /// </summary>
    AcceptLoop NewAcceptLoop(Socket listening, AcceptFailures failures, Action<TransportConnection> onAccepted);
}
