using System.IO.Pipelines;
using System.Runtime.ExceptionServices;

namespace FastCgi.Client.Connections.Multiplexing;

/// <summary>
/// The records of one request after another, as if they had their own connection. Disposal aborts a running request,
/// which still counts until the application has ended it.
/// </summary>
internal sealed class MultiplexedStream(ISharedConnection connection, ushort requestId) : ForwardOnlyStream
{
    /// <summary>Limit of the bytes for one slow reader. Beyond it, the whole connection waits.</summary>
    private const int MaxHeld = 1024 * 1024;

    private readonly Lock _gate = new();
    private readonly Pipe _pipe = new(new PipeOptions(
        pauseWriterThreshold: MaxHeld, resumeWriterThreshold: MaxHeld / 2, useSynchronizationContext: false));

    private Stream? _reading;
    private Exception? _reason;
    private bool _isReading;
    private bool _isBusy;
    private bool _isDisposed;

    public ushort RequestId { get; private set; } = requestId;

    public override bool CanRead => true;

    public override bool CanWrite => true;

    /// <summary>Returns the id of the next request, or 0 if none is left.</summary>
    public ushort Renew()
    {
        ushort id = connection.Renew(this);
        RequestId = id == 0 ? RequestId : id;
        return id;
    }

    /// <summary>
    /// Stores a record or a part of one until it is read. The end of the request takes effect here: once it is
    /// delivered, its reader may begin the next request, which makes the stream busy again.
    /// </summary>
    public void Append(in RecordPart part)
    {
        if (!_isDisposed)
        {
            Keep(in part);
        }

        if (part is { IsLast: true, Header.Type: RecordType.EndRequest })
        {
            EndRequest();
        }
    }

    /// <summary>Makes the appended bytes available to the reader. Waits while the stream holds too much.</summary>
    public async ValueTask DeliverAsync()
    {
        if (!_isDisposed)
        {
            await _pipe.Writer.FlushAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Called when the turn of these records has come on the shared connection.</summary>
    /// <exception cref="ObjectDisposedException">They must not be sent any more.</exception>
    public void OnSending(ReadOnlySpan<byte> records)
    {
        // Once sent, the request counts until its end. A disposed stream sends only its abort.
        var type = (RecordType)records[1];
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed && type != RecordType.AbortRequest, this);
            _isBusy |= type == RecordType.BeginRequest;
        }
    }

    /// <summary>Ends the stream with the connection. A reader gets the earlier bytes, then the reason.</summary>
    public void End(Exception? reason)
    {
        _reason = reason;
        _pipe.Writer.Complete();
    }

    public override async ValueTask<int> ReadAsync(
        Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            _isReading = true;
        }

        try
        {
            _reading ??= _pipe.Reader.AsStream(leaveOpen: true);
            int count = await _reading.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
            if (count == 0 && _reason is { } reason)
            {
                ExceptionDispatchInfo.Throw(reason);
            }

            return count;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ObjectDisposedException(nameof(MultiplexedStream));
        }
        finally
        {
            bool isLast;
            lock (_gate)
            {
                _isReading = false;
                isLast = _isDisposed;
            }

            if (isLast)
            {
                _pipe.Reader.Complete();
            }
        }
    }

    public override ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
        }

        return connection.SendAsync(this, buffer, cancellationToken);
    }

    protected override void Dispose(bool disposing)
    {
        bool isBusy;
        bool isReading;
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            _isDisposed = true;
            isBusy = _isBusy;
            isReading = _isReading;
        }

        // Completing the pipe ends a wait for its reader. A running read completes the pipe itself.
        if (isReading)
        {
            _pipe.Reader.CancelPendingRead();
        }
        else
        {
            _pipe.Reader.Complete();
        }

        if (connection.Leave(RequestId, isBusy) && isBusy)
        {
            _ = AbortAsync();
        }

        base.Dispose(disposing);
    }

    private void Keep(in RecordPart part)
    {
        if (part.IsFirst)
        {
            // Without padding, because the reader of the connection has skipped it.
            new RecordHeader(part.Header.Type, part.Header.RequestId, part.Header.ContentLength)
                .Write(_pipe.Writer.GetSpan(FastCgiConstants.HeaderSize));
            _pipe.Writer.Advance(FastCgiConstants.HeaderSize);
        }

        part.Content.CopyTo(_pipe.Writer.GetSpan(Math.Max(part.Content.Length, 1)));
        _pipe.Writer.Advance(part.Content.Length);
    }

    private void EndRequest()
    {
        bool isFree;
        lock (_gate)
        {
            _isBusy = false;
            isFree = _isDisposed;
        }

        if (isFree)
        {
            connection.Free(RequestId);
        }
    }

    /// <summary>Asks the application to end the request (FastCGI 1.0, section 5.4).</summary>
    private async Task AbortAsync()
    {
        byte[] abort = new byte[FastCgiConstants.HeaderSize];
        RecordWriter.WriteHeader(abort, RecordType.AbortRequest, RequestId, contentLength: 0);
        try
        {
            await connection.SendAsync(this, abort, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The connection has ended, and all its requests too. A stream of the caller may throw any exception.
        }
    }
}
