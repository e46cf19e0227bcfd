using System.Net;
using System.Net.Sockets;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// What both transports do with a socket once it is ready: calls that return at once, on a socket that does not
/// block, and reports to the handler that no exception leaves.
/// </summary>
internal abstract partial class SocketConnection : TransportConnection
{
    private readonly ILogger _logger;
    private EndPoint? _localEndPoint;
    private EndPoint? _remoteEndPoint;
    private ITransportHandler? _handler;
    private int _closed;

    protected SocketConnection(Socket socket, ILogger logger)
    {
        Socket = socket;
        _logger = logger;
        IsUnix = socket.AddressFamily == AddressFamily.Unix;
        socket.Blocking = false;
    }

    /// <inheritdoc/>
    public override EndPoint? LocalEndPoint => _localEndPoint ??= NameOfOurEnd();

    /// <inheritdoc/>
    public override EndPoint? RemoteEndPoint => _remoteEndPoint ??= NameOfPeer();

    protected Socket Socket { get; }

    /// <summary>On a unix socket an end of stream is only the end of the peer's input.</summary>
    protected bool IsUnix { get; }

    protected bool IsClosed => Volatile.Read(ref _closed) != 0;

    protected ITransportHandler Handler =>
        _handler ?? throw new InvalidOperationException("The connection was not started.");

    /// <inheritdoc/>
    public override int Receive(Span<byte> buffer)
    {
        try
        {
            int received = Socket.Receive(buffer, SocketFlags.None, out SocketError error);
            return error switch
            {
                SocketError.Success when received > 0 || IsUnix => received,
                SocketError.WouldBlock => WouldBlock,
                _ => Reset,
            };
        }
        catch (ObjectDisposedException)
        {
            // Another thread closed the connection while this one was about to read.
            return Reset;
        }
    }

    /// <inheritdoc/>
    public override int Send(ReadOnlySpan<byte> data)
    {
        try
        {
            int sent = Socket.Send(data, SocketFlags.None, out SocketError error);
            return error switch
            {
                SocketError.Success => sent,
                SocketError.WouldBlock => WouldBlock,
                _ => Reset,
            };
        }
        catch (ObjectDisposedException)
        {
            return Reset;
        }
    }

    /// <inheritdoc/>
    public override void ShutdownSend()
    {
        try
        {
            Socket.Shutdown(SocketShutdown.Send);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The peer was faster, or the connection is closed: there is no direction left to end.
        }
    }

    protected void SetHandler(ITransportHandler handler)
    {
        if (_handler is not null)
        {
            throw new InvalidOperationException("The connection was started already.");
        }

        _handler = handler;
    }

    /// <summary>
    /// Call before the socket is disposed of. While another thread is in a call on it, System.Net.Sockets frees that
    /// thread by a reset, unless our direction of the stream was ended before; and a reset can cost the peer the end of
    /// an answer.
    /// </summary>
    protected void EndStreamOfTcp()
    {
        if (!IsUnix)
        {
            ShutdownSend();
        }
    }

    /// <summary>True for the one caller that closes.</summary>
    protected bool TryBeginClose() => Interlocked.Exchange(ref _closed, 1) == 0;

    /// <summary>
    /// Hands the reading role to the handler. What the application leaves in the execution context of this thread is
    /// undone, so that nothing of one request is seen by the next.
    /// </summary>
    protected void ReportReadable()
    {
        ExecutionContext? context = ExecutionContext.Capture();
        try
        {
            Handler.OnReadable();
        }
        catch (Exception exception)
        {
            OnHandlerFailed(exception);
        }

        if (context is not null)
        {
            ExecutionContext.Restore(context);
        }
    }

    protected void ReportSendCompleted(bool succeeded)
    {
        try
        {
            Handler.OnSendCompleted(succeeded);
        }
        catch (Exception exception)
        {
            OnHandlerFailed(exception);
        }
    }

    protected void ReportPeerGone()
    {
        try
        {
            Handler.OnPeerGone();
        }
        catch (Exception exception)
        {
            OnHandlerFailed(exception);
        }
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
        LogHandlerFailed(_logger, exception);
        Close();
        try
        {
            Handler.OnPeerGone();
        }
        catch (Exception second)
        {
            LogHandlerFailed(_logger, second);
        }
    }

    private EndPoint? NameOfPeer()
    {
        try
        {
            return IsUnix ? null : Socket.RemoteEndPoint;
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            return null;
        }
    }

    private EndPoint? NameOfOurEnd()
    {
        try
        {
            return Socket.LocalEndPoint;
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            return null;
        }
    }
}
