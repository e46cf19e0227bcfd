using System.Net;
using FastCgi.AspNetCore.Transport;
using FastCgi.AspNetCore.Transport.Epoll;
using Microsoft.Extensions.Logging;

namespace FastCgi.FuzzTests.Memory;

/// <summary>
/// A socket in memory, edge-triggered as under epoll: whatever happens to it is an event, which is a step. It has the
/// reading role and the order of calls of EpollConnection; in place of the system there are two streams of bytes.
/// </summary>
internal sealed class MemorySocket : TransportConnection, IStep
{
    private static readonly IPEndPoint s_local = new(IPAddress.Loopback, 9000);
    private static readonly IPEndPoint s_remote = new(IPAddress.Loopback, 40000);

    private readonly StepScheduler _scheduler;
    private readonly ISocketPeer _peer;
    private readonly byte[] _input;
    private ReadingRole _reading = new(isHeld: false);
    private int _inputStart;
    private int _inputEnd;
    private bool _inputHasEnded;
    private bool _isGone;
    private bool _isReset;
    private bool _isWatched;
    private bool _hasDeferred;
    private bool _peerIsGone;
    private bool _outputHasEnded;
    private bool _sendsLater;
    private ReadOnlyMemory<byte> _later;

    /// <param name="input">Room for what the peer sends and the server has not received.</param>
    /// <param name="isUnix">As of a unix socket, else as of TCP.</param>
    /// <param name="hasOwnThreads">As of the epoll transport, else as of the sockets transport.</param>
    public MemorySocket(
        StepScheduler scheduler, ILogger logger, ISocketPeer peer, byte[] input, bool isUnix, bool hasOwnThreads)
        : base(logger, isUnix)
    {
        _scheduler = scheduler;
        _peer = peer;
        _input = input;
        HasOwnThreads = hasOwnThreads;
    }

    public override bool HasOwnThreads { get; }

    /// <summary>How much the peer would take now.</summary>
    public int Room { get; private set; } = int.MaxValue;

    /// <summary>How much of its input is free.</summary>
    public int InputRoom => _input.Length - (_inputEnd - _inputStart);

    private bool IsReadable => _inputStart < _inputEnd || _inputHasEnded || _isGone;

    /// <summary>The peer sends; there must be room.</summary>
    public void Deliver(ReadOnlySpan<byte> bytes)
    {
        if (_inputEnd + bytes.Length > _input.Length)
        {
            _input.AsSpan(_inputStart, _inputEnd - _inputStart).CopyTo(_input);
            _inputEnd -= _inputStart;
            _inputStart = 0;
        }

        bytes.CopyTo(_input.AsSpan(_inputEnd));
        _inputEnd += bytes.Length;
        Signal();
    }

    /// <summary>The peer ends its direction.</summary>
    public void EndInput()
    {
        _inputHasEnded = true;
        Signal();
    }

    /// <summary>The peer closes; a reset takes what is unread with it.</summary>
    public void Vanish(bool isReset)
    {
        _inputHasEnded = _isGone = true;
        _isReset |= isReset;
        Signal();
    }

    /// <summary>The peer has no more room than this.</summary>
    public void SetRoom(int room)
    {
        Room = room;
        if (_sendsLater)
        {
            Signal();
        }
    }

    protected override EndPoint? ReadLocalName() => IsUnix ? null : s_local;

    protected override EndPoint? ReadPeerName() => s_remote;

    protected override void OnStarted()
    {
        Rearm();
    }

    public override int Receive(Span<byte> buffer)
    {
        _scheduler.MayPreempt();
        if (IsClosed || _isReset)
        {
            return Reset;
        }

        var count = Math.Min(buffer.Length, _inputEnd - _inputStart);
        if (count > 0)
        {
            var isFull = InputRoom == 0;
            _input.AsSpan(_inputStart, count).CopyTo(buffer);
            _inputStart += count;
            _peer.Tell("is received", count);
            if (isFull)
            {
                _peer.OnInputRoom();
            }

            return count;
        }

        if (!_inputHasEnded)
        {
            return WouldBlock;
        }

        _reading.OnEndRead();
        return IsUnix ? 0 : Reset;
    }

    public override bool HasUnread() => !_isReset && _inputStart < _inputEnd;

    public override int Send(ReadOnlySpan<byte> data) => SendGathered(data, default, default);

    public override int SendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail)
    {
        if (_outputHasEnded)
        {
            throw new InvalidOperationException("The server sends after the end of its stream.");
        }

        if (IsClosed || _isGone)
        {
            return Reset;
        }

        var sent = SendPiece(head);
        sent += sent == head.Length ? SendPiece(body) : 0;
        sent += sent == head.Length + body.Length ? SendPiece(tail) : 0;
        return sent == 0 && head.Length + body.Length + tail.Length > 0 ? WouldBlock : sent;
    }

    public override void SendLater(ReadOnlyMemory<byte> data)
    {
        if (_sendsLater)
        {
            throw new InvalidOperationException("A send is under way already.");
        }

        _later = data;
        _sendsLater = true;
        Rearm();
        if (IsClosed)
        {
            FailLater();
        }
    }

    public override bool TryEndReading()
    {
        _scheduler.MayPreempt();
        return _reading.TryGiveBack() || IsClosed;
    }

    /// <summary>Once, as of a connection that its accepting thread reads first.</summary>
    public override bool TryDeferReading()
    {
        if (!HasOwnThreads || _hasDeferred)
        {
            return false;
        }

        _peer.Tell("reading is deferred");
        _hasDeferred = true;
        _isWatched = false;
        _reading.Pause();
        _scheduler.MayPreempt();
        return true;
    }

    public override void PauseReading()
    {
        _peer.Tell("reading is paused");
        _reading.Pause();
    }

    public override void ResumeReading()
    {
        if (!IsClosed && _reading.TryResume())
        {
            Rearm();
        }
    }

    public override bool IsPeerGone() => IsClosed || (_peerIsGone && !(ReadsToEnd && HasUnread()));

    public override void ShutdownSend()
    {
        _outputHasEnded = true;
        _peer.OnOutputEnded(isClosed: false);
    }

    public override void ResetOnClose()
    {
    }

    protected override void OnClosing()
    {
        FailLater();
        _peer.OnOutputEnded(isClosed: true);
    }

    /// <summary>One event, with what is true by now.</summary>
    public void Run()
    {
        if (IsClosed)
        {
            return;
        }

        var isReader = ReadsOn() && IsReadable && TryTakeReading();
        if (_sendsLater && TryEndLater(out var succeeded))
        {
            if (isReader)
            {
                isReader = false;
                _reading.Release();
                Rearm();
            }

            ReportSendCompleted(succeeded);
        }

        if (isReader)
        {
            ReportReadable();
        }
    }

    private bool ReadsOn()
    {
        if (!_isGone && (IsUnix || !_inputHasEnded))
        {
            return true;
        }

        _peerIsGone = true;
        if (ReadsToEnd)
        {
            return true;
        }

        ReportPeerGone();
        return false;
    }

    private bool TryTakeReading()
    {
        if (_inputHasEnded)
        {
            _reading.OnInputEnded();
        }

        return _reading.TryTake();
    }

    private int SendPiece(ReadOnlySpan<byte> data)
    {
        var count = Math.Min(data.Length, Room);
        if (count > 0)
        {
            Room -= Room == int.MaxValue ? 0 : count;
            _peer.OnReceived(data[..count]);
        }

        return count;
    }

    private bool TryEndLater(out bool succeeded)
    {
        succeeded = !_isGone;
        if (succeeded)
        {
            _later = _later[SendPiece(_later.Span)..];
        }

        if (succeeded && !_later.IsEmpty)
        {
            return false;
        }

        _later = default;
        _sendsLater = false;
        return true;
    }

    private void FailLater()
    {
        if (_sendsLater)
        {
            _sendsLater = false;
            _later = default;
            _scheduler.Queue(static socket => socket.ReportSendCompleted(false), this);
        }
    }

    private void Rearm()
    {
        _isWatched = true;
        if (IsReadable || (_sendsLater && (Room > 0 || _isGone)))
        {
            Signal();
        }
    }

    private void Signal()
    {
        if (_isWatched && !IsClosed)
        {
            _scheduler.Add(this);
        }
    }
}

/// <summary>The other end of a <see cref="MemorySocket"/>.</summary>
internal interface ISocketPeer
{
    /// <summary>For the trace.</summary>
    void Tell(string what, int count = -1);

    void OnReceived(ReadOnlySpan<byte> bytes);

    /// <summary>The server ended its stream, or closed the socket.</summary>
    void OnOutputEnded(bool isClosed);

    /// <summary>There was no room for what the peer sends, and there is now.</summary>
    void OnInputRoom();
}
