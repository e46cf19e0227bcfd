using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// Reports to one handler, closes once, and lets no exception of the handler reach the thread that reports: the base
/// of the connections of all transports.
/// </summary>
/// <param name="logger">For what the handler throws.</param>
/// <param name="isUnix">The peer has no name, and an end of stream is only the end of its input.</param>
/// <param name="listenedOn">The address of the listener, if the system knows others of the connection.</param>
internal abstract partial class ReportingConnection(ILogger logger, bool isUnix, EndPoint? listenedOn = null)
    : TransportConnection, IThreadPoolWorkItem
{
    private ITransportHandler? _handler;
    private int _closed;

    // Our end, if all connections of the listener have the same: one object serves them.
    private EndPoint? _localEndPoint = listenedOn is IPEndPoint { Address: var address }
        && (address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any))
            ? null
            : listenedOn;

    private EndPoint? _remoteEndPoint;

    public override EndPoint? LocalEndPoint => _localEndPoint ??= ReadLocalName();

    public override EndPoint? RemoteEndPoint => _remoteEndPoint ??= IsUnix ? null : ReadPeerName();

    /// <summary>On a unix socket an end of stream is only the end of the peer's input.</summary>
    protected bool IsUnix { get; } = isUnix;

    protected bool IsClosed => Volatile.Read(ref _closed) != 0;

    protected ILogger Logger => logger;

    /// <summary>False for a connection that was refused before it was served.</summary>
    protected bool HasHandler => _handler is not null;

    private ITransportHandler Handler =>
        _handler ?? throw new InvalidOperationException("The connection was not started.");

    public sealed override void Start(ITransportHandler handler)
    {
        if (_handler is not null)
        {
            throw new InvalidOperationException("The connection was started already.");
        }

        _handler = handler;
        OnStarted();
    }

    public sealed override void Close()
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
            Handler.OnReadable();
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
            report(Handler, succeeded);
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
            Handler.OnPeerGone();
        }
        catch (Exception second)
        {
            LogHandlerFailed(logger, second);
        }
    }
}
