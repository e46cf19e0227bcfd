using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace FastCgi.AspNetCore.Transport.Contexts;

/// <summary>
/// A connection of another transport: two pipes in place of a socket. Reports on the thread pool, because the pipes may
/// complete on threads of that transport, which an application must not block.
/// </summary>
/// <remarks>
/// The end of the input is only a half-close until the transport cancels
/// <see cref="BaseConnectionContext.ConnectionClosed"/>. Then the peer is gone.
/// </remarks>
internal sealed class ContextConnection : TransportConnection
{
    /// <summary>Limit of the bytes per send, because they stay in memory.</summary>
    private const int MaxSend = 64 * 1024;

    // Guards the input, and the choice of the thread that completes it. Never held while the handler is called.
    private readonly Lock _inputLock = new();

    // Guards the output against its completion. Never held while the handler is called.
    private readonly Lock _outputLock = new();

    private readonly ConnectionContext _context;
    private readonly PipeReader _input;
    private readonly PipeWriter _output;
    private readonly Action _onRead;
    private ConfiguredValueTaskAwaitable<ReadResult>.ConfiguredValueTaskAwaiter _read;
    private Reading _reading = Reading.Paused;
    private bool _isEndTaken;
    private bool _isInputComplete;
    private bool _isOutputComplete;
    private volatile bool _isLost;
    private volatile bool _resets;
    private Task _flush = Task.CompletedTask;
    private CancellationTokenRegistration _closedRegistration;

    public ContextConnection(ConnectionContext context, ILogger logger)
        : base(logger, isUnix: context.RemoteEndPoint is not IPEndPoint) =>
        (_context, _input, _output, _onRead) = (context, context.Transport.Input, context.Transport.Output, OnRead);

    /// <summary>The holder of the reading role.</summary>
    private enum Reading
    {
        /// <summary>A waiting read has the role.</summary>
        Armed,

        Held,
        Paused,
    }

    public override Socket Socket =>
        _context.Features.Get<IConnectionSocketFeature>()?.Socket ?? base.Socket;

    protected override void OnStarted()
    {
        _closedRegistration = _context.ConnectionClosed.UnsafeRegister(
            static connection => ((ContextConnection)connection!).OnPeerClosed(), this);
        ResumeReading();
    }

    public override int Receive(Span<byte> buffer)
    {
        lock (_inputLock)
        {
            if (!TryRead(out ReadResult result))
            {
                return _isInputComplete || _isLost ? Reset : WouldBlock;
            }

            ReadOnlySequence<byte> bytes = result.Buffer;
            int count = (int)Math.Min(bytes.Length, buffer.Length);
            bytes.Slice(0, count).CopyTo(buffer);
            _input.AdvanceTo(bytes.GetPosition(count));
            if (count > 0 || buffer.IsEmpty)
            {
                return count;
            }

            if (!result.IsCompleted)
            {
                return WouldBlock;
            }

            _isEndTaken = true;
            return IsUnix ? 0 : Reset;
        }
    }

    public override bool HasUnread()
    {
        lock (_inputLock)
        {
            if (_reading == Reading.Armed)
            {
                return !_isInputComplete && !_isLost && _read.IsCompleted;
            }

            if (!TryRead(out ReadResult result))
            {
                return false;
            }

            PutBack(result);
            return result.Buffer.Length > 0;
        }
    }

    public override bool TryEndReading()
    {
        lock (_inputLock)
        {
            return TryArm();
        }
    }

    public override void PauseReading()
    {
        lock (_inputLock)
        {
            _reading = Reading.Paused;
        }
    }

    public override void ResumeReading()
    {
        lock (_inputLock)
        {
            if (_reading != Reading.Paused || _isEndTaken || TryArm())
            {
                return;
            }

            _reading = Reading.Held;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    public override int Send(ReadOnlySpan<byte> data) => SendGathered(data, [], []);

    public override int SendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail)
    {
        lock (_outputLock)
        {
            if (_isOutputComplete)
            {
                return Reset;
            }

            if (!_flush.IsCompleted)
            {
                return WouldBlock;
            }

            try
            {
                int sent = Write(head, room: MaxSend);
                sent += Write(body, MaxSend - sent);
                sent += Write(tail, MaxSend - sent);
                _flush = FlushAsync();
                return _flush.IsFaulted ? Reset : sent;
            }
            catch (Exception)
            {
                return Reset;
            }
        }
    }

    public override void SendLater(ReadOnlyMemory<byte> data) => ThreadPool.UnsafeQueueUserWorkItem(
        static send => _ = send.Connection.SendLaterAsync(send.Data),
        (Connection: this, Data: data),
        preferLocal: false);

    public override bool IsPeerGone() =>
        IsClosed
        || ((_isLost || _context.ConnectionClosed.IsCancellationRequested) && (!ReadsToEnd || _isEndTaken));

    public override void ShutdownSend()
    {
        lock (_outputLock)
        {
            if (!_isOutputComplete)
            {
                _isOutputComplete = true;
                _output.Complete();
            }
        }
    }

    public override void ResetOnClose() => _resets = true;

    protected override EndPoint? ReadLocalName() => _context.LocalEndPoint;

    protected override EndPoint? ReadPeerName() => _context.RemoteEndPoint;

    protected override void OnClosing()
    {
        _closedRegistration.Unregister();
        if (_resets)
        {
            _context.Abort(new ConnectionAbortedException("The server resets the connection."));
        }

        EndInput();
        _ = CloseAsync();
    }

    /// <summary>Gives the role to a waiting read. False if there is something to read. Under the lock.</summary>
    private bool TryArm()
    {
        if (_isInputComplete)
        {
            return true;
        }

        try
        {
#pragma warning disable CA2012 // OnRead consumes it, once.
            _read = _input.ReadAsync().ConfigureAwait(false).GetAwaiter();
#pragma warning restore CA2012
            if (!_read.IsCompleted)
            {
                _reading = Reading.Armed;
                _read.UnsafeOnCompleted(_onRead);
                return true;
            }

            PutBack(_read.GetResult());
        }
        catch (Exception)
        {
            _isLost = true;
        }

        return false;
    }

    /// <summary>Leaves the bytes or the end that have come to <see cref="Receive"/>.</summary>
    private void PutBack(in ReadResult result) => _input.AdvanceTo(result.Buffer.Start);

    /// <summary>Handles the end of the waiting read, on any thread.</summary>
    private void OnRead()
    {
        lock (_inputLock)
        {
            try
            {
                PutBack(_read.GetResult());
            }
            catch (Exception)
            {
                _isLost = true;
            }

            if (IsClosed)
            {
                CompleteInput();
                return;
            }

            _reading = Reading.Held;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>
    /// False if nothing has come, or if the transport has lost its peer (any exception means that). Under the lock of
    /// the input, while no read waits.
    /// </summary>
    private bool TryRead(out ReadResult result)
    {
        result = default;
        try
        {
            return !_isInputComplete && !_isLost && _input.TryRead(out result);
        }
        catch (Exception)
        {
            _isLost = true;
            return false;
        }
    }

    private int Write(ReadOnlySpan<byte> data, int room)
    {
        int count = Math.Min(data.Length, room);
        _output.Write(data[..count]);
        return count;
    }

    private async Task FlushAsync()
    {
        FlushResult result = await _output.FlushAsync().ConfigureAwait(false);
        if (result.IsCanceled || result.IsCompleted)
        {
            throw new ConnectionResetException("The peer takes no more bytes.");
        }
    }

    private async Task SendLaterAsync(ReadOnlyMemory<byte> data)
    {
        bool succeeded = false;
        try
        {
            await _flush.ConfigureAwait(false);
            while (!data.IsEmpty && Send(data.Span) is var sent and > 0)
            {
                data = data[sent..];
                await _flush.ConfigureAwait(false);
            }

            succeeded = data.IsEmpty && !IsClosed;
        }
        catch (Exception)
        {
            // The report below tells the handler.
        }

        ReportSendCompleted(succeeded);
    }

    private void OnPeerClosed()
    {
        if (!ReadsToEnd)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                static connection =>
                {
                    if (!connection.IsClosed)
                    {
                        connection.ReportPeerGone();
                    }
                },
                this,
                preferLocal: false);
        }
    }

    private void EndInput()
    {
        bool isReadPending;
        lock (_inputLock)
        {
            isReadPending = _reading == Reading.Armed;
            if (!isReadPending)
            {
                CompleteInput();
            }
        }

        if (isReadPending)
        {
            _input.CancelPendingRead();
        }
    }

    private void CompleteInput()
    {
        if (!_isInputComplete)
        {
            _isInputComplete = true;
            _input.Complete();
        }
    }

    /// <summary>Closes after the sent bytes have left, except for a waiting send. Never throws.</summary>
    private async Task CloseAsync()
    {
        try
        {
            _output.CancelPendingFlush();
            await _flush.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            ShutdownSend();
            await _context.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The application's transport failed to close the connection, which is not used any more.
        }
    }
}
