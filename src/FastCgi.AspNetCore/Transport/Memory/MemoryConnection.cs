using System.Net;

namespace FastCgi.AspNetCore.Transport.Memory;

/// <summary>
/// The server's end of a connection in memory, which behaves as a unix socket does. It reports on the thread pool.
/// </summary>
internal sealed partial class MemoryConnection : ReportingConnection
{
    private readonly Lock _lock = new();
    private readonly MemoryQueue _input = new();
    private readonly MemoryQueue _output = new();
    private Reading _reading = Reading.Paused;
    private bool _isEndTaken;
    private ReadOnlyMemory<byte> _unsent;
    private bool _isSending;
    private volatile bool _isPeerClosed;

    public MemoryConnection(ILogger logger)
        : base(logger, isUnix: true) => Peer = new PeerStream(this, _output, _input);

    /// <summary>The holder of the reading role.</summary>
    private enum Reading
    {
        Armed,
        Held,
        Paused,
    }

    public Stream Peer { get; }

    public override EndPoint? LocalEndPoint => null;

    public override EndPoint? RemoteEndPoint => null;

    /// <summary>Bytes, or their end, that the holder of the role has not taken.</summary>
    private bool HasNews => !_input.IsEmpty || (_input.IsEnded && !_isEndTaken);

    public override void Start(ITransportHandler handler)
    {
        SetHandler(handler);
        ResumeReading();
    }

    public override int Receive(Span<byte> buffer)
    {
        if (IsClosed)
        {
            return Reset;
        }

        bool isEnded = _input.IsEnded;
        int count = _input.Read(buffer);
        if (count == 0 && isEnded)
        {
            _isEndTaken = true;
            return 0;
        }

        return count == 0 ? WouldBlock : count;
    }

    public override bool HasUnread() => !_input.IsEmpty;

    public override bool TryEndReading()
    {
        lock (_lock)
        {
            if (HasNews && !IsClosed)
            {
                return false;
            }

            _reading = Reading.Armed;
            return true;
        }
    }

    public override void PauseReading()
    {
        lock (_lock)
        {
            _reading = Reading.Paused;
        }
    }

    public override void ResumeReading()
    {
        lock (_lock)
        {
            if (_reading != Reading.Paused)
            {
                return;
            }

            _reading = Reading.Armed;
        }

        OnReadable();
    }

    public override int Send(ReadOnlySpan<byte> data)
    {
        if (_output.IsEnded)
        {
            return Reset;
        }

        int sent = _output.Write(data);
        return sent == 0 && !data.IsEmpty ? WouldBlock : sent;
    }

    public override void SendLater(ReadOnlyMemory<byte> data)
    {
        lock (_lock)
        {
            _unsent = data;
            _isSending = true;
        }

        OnRoom();
    }

    public override bool IsPeerGone() => _isPeerClosed || IsClosed;

    public override void ShutdownSend() => _output.End();

    public override void ResetOnClose()
    {
    }

    public override void Close()
    {
        if (TryBeginClose())
        {
            _output.End();
            _input.End(dropsRest: true);
            OnRoom();
        }
    }

    /// <summary>The peer has written, or closed: the role is handed over, if it is free.</summary>
    private void OnReadable()
    {
        lock (_lock)
        {
            if (_reading != Reading.Armed || !HasNews || IsClosed)
            {
                return;
            }

            _reading = Reading.Held;
        }

        ThreadPool.UnsafeQueueUserWorkItem(
            static connection => connection.ReportReadable(), this, preferLocal: false);
    }

    /// <summary>The peer has read, or one end has closed: a send that waits goes on.</summary>
    private void OnRoom()
    {
        lock (_lock)
        {
            if (!_isSending || !_output.HasRoom)
            {
                return;
            }
        }

        ThreadPool.UnsafeQueueUserWorkItem(
            static connection => connection.ContinueSend(), this, preferLocal: false);
    }

    /// <summary>The peer neither sends nor receives any more.</summary>
    private void OnPeerClosed()
    {
        _isPeerClosed = true;
        OnRoom();
        OnReadable();
        ThreadPool.UnsafeQueueUserWorkItem(
            static connection =>
            {
                if (connection.HasHandler && !connection.IsClosed)
                {
                    connection.ReportPeerGone();
                }
            },
            this,
            preferLocal: false);
    }

    private void ContinueSend()
    {
        bool succeeded;
        lock (_lock)
        {
            if (!_isSending)
            {
                return;
            }

            int sent = Send(_unsent.Span);
            _unsent = _unsent[Math.Max(sent, 0)..];
            succeeded = _unsent.IsEmpty;
            if (!succeeded && sent != Reset)
            {
                // The room that comes next reports itself.
                return;
            }

            _isSending = false;
            _unsent = default;
        }

        ReportSendCompleted(succeeded);
    }
}
