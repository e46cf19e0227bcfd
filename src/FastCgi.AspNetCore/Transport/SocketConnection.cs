using System.Net;
using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport;

/// <summary>
/// What both transports do alike: non-blocking calls on the socket, which keep its handle safe from reuse, with every
/// way of losing a socket folded into <see cref="TransportConnection.Reset"/>.
/// </summary>
internal abstract class SocketConnection : TransportConnection
{
    private ITransportHandler? _handler;
    private int _closed;

    protected SocketConnection(Socket socket)
    {
        Socket = socket;
        IsUnix = socket.AddressFamily == AddressFamily.Unix;
        socket.Blocking = false;
        LocalEndPoint = socket.LocalEndPoint;
    }

    public override EndPoint? LocalEndPoint { get; }

    public override EndPoint? RemoteEndPoint
    {
        get
        {
            try
            {
                return IsUnix ? null : field ??= Socket.RemoteEndPoint;
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                return null;
            }
        }
    }

    protected Socket Socket { get; }

    protected bool IsUnix { get; }

    protected ITransportHandler Handler => _handler!;

    protected bool IsClosed => Volatile.Read(ref _closed) != 0;

    public override void Start(ITransportHandler handler)
    {
        _handler = handler;
        StartReporting();
    }

    public override int Receive(Span<byte> buffer)
    {
        try
        {
            int received = Socket.Receive(buffer, SocketFlags.None, out SocketError error);
            return error switch
            {
                // A web server that closes a TCP connection has lost its client; what it still takes reaches nobody.
                SocketError.Success => received == 0 && !IsUnix ? Reset : received,
                SocketError.WouldBlock => WouldBlock,
                _ => Reset,
            };
        }
        catch (ObjectDisposedException)
        {
            return Reset;
        }
    }

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

    /// <summary>
    /// Asks without taking anything from the stream: a lost socket refuses even an empty send, and a TCP peer that has
    /// closed shows as an end of stream once what it sent has been read.
    /// </summary>
    public override bool IsPeerGone()
    {
        try
        {
            Socket.Send(ReadOnlySpan<byte>.Empty, SocketFlags.None, out SocketError error);
            if (error is not (SocketError.Success or SocketError.WouldBlock))
            {
                return true;
            }

            if (IsUnix)
            {
                return false;
            }

            Span<byte> peeked = stackalloc byte[1];
            int count = Socket.Receive(peeked, SocketFlags.Peek, out error);
            return error is SocketError.Success ? count == 0 : error is not SocketError.WouldBlock;
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }

    public override void ShutdownSend()
    {
        try
        {
            Socket.Shutdown(SocketShutdown.Send);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The peer was faster.
        }
    }

    public override void Close()
    {
        if (Interlocked.Exchange(ref _closed, 1) == 0)
        {
            OnClosing();
            Socket.Dispose();
        }
    }

    protected abstract void StartReporting();

    protected virtual void OnClosing()
    {
    }
}
