namespace FastCgi.Client.Requests;

/// <summary>
/// The stream to which the content of a request writes itself. Until streaming starts, bytes are collected after the
/// head, so that a small request leaves in one send. After that, every write leaves at once.
/// </summary>
internal sealed class StdinStream(
    Stream connection, OutputBuffer output, ushort? requestId, long? declaredLength) : ForwardOnlyStream
{
    /// <summary>The maximum size of one send: a full record and its header.</summary>
    private const int MaxBatch = FastCgiConstants.MaxAlignedContentLength + FastCgiConstants.HeaderSize;

    private readonly SemaphoreSlim _gate = new(1, 1);
    private int _recordStart = -1;
    private long _written;

    public override bool CanRead => false;

    public override bool CanWrite => !IsDisposed;

    /// <summary>Called before each send.</summary>
    public Action? OnSending { get; init; }

    /// <summary>Sends each write at once.</summary>
    public bool IsStreaming { get; set; }

    /// <summary>The number of bytes that the connection has taken.</summary>
    public long Sent { get; private set; }

    /// <summary>True if a send broke off. It may have left half a record on the wire.</summary>
    public bool IsBroken { get; private set; }

    /// <summary>
    /// The failure of a request whose content threw. As in SocketsHttpHandler, an InvalidOperationException becomes an
    /// HttpRequestException. An ObjectDisposedException means that the content disposed this stream.
    /// </summary>
    public static Exception FailureOf(Exception exception) => exception switch
    {
        ObjectDisposedException => new HttpRequestException(
            "The request content disposed the stream that it was written to. Leave the stream open.", exception),
        InvalidOperationException => new HttpRequestException(
            $"The request content failed: {exception.Message}", exception),
        _ => exception,
    };

    /// <summary>Sends the collected bytes. From now on, written bytes leave at once.</summary>
    public async ValueTask StartStreamingAsync(CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ThrowIfBroken();
            IsStreaming = true;
            await SendAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <summary>Sends the rest and the end of the stream.</summary>
    /// <exception cref="FastCgiException">The content was shorter than its declared length.</exception>
    public async ValueTask CompleteAsync(CancellationToken cancellationToken)
    {
        if (declaredLength is { } declared && _written < declared)
        {
            throw WrongLength();
        }

        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ThrowIfBroken();
            WriteEndOfStream();
            await SendAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _gate.Release();
        }
    }

    public override async ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ThrowIfBroken();
            _written += buffer.Length;
            if (_written > declaredLength)
            {
                throw WrongLength();
            }

            while (!buffer.IsEmpty)
            {
                int length = Append(buffer.Span);
                buffer = buffer[length..];
                if (IsStreaming || !buffer.IsEmpty)
                {
                    await SendAsync(cancellationToken).ConfigureAwait(false);
                }
            }
        }
        finally
        {
            _gate.Release();
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _gate.Dispose();
        }

        base.Dispose(disposing);
    }

    /// <summary>Returns the number of <paramref name="bytes"/> for which the batch had room.</summary>
    private int Append(ReadOnlySpan<byte> bytes)
    {
        if (requestId is not { } id)
        {
            int fitting = Math.Min(bytes.Length, MaxBatch - output.Position);
            output.Write(bytes[..Math.Max(fitting, 0)]);
            return Math.Max(fitting, 0);
        }

        if (_recordStart < 0)
        {
            if (output.Position + FastCgiConstants.HeaderSize >= MaxBatch)
            {
                return 0;
            }

            _recordStart = output.Position;
            output.GetSpan(FastCgiConstants.HeaderSize);
            output.Advance(FastCgiConstants.HeaderSize);
        }

        int length = Math.Min(bytes.Length, MaxBatch - output.Position);
        output.Write(bytes[..length]);
        RecordWriter.WriteHeader(
            output.Bytes[_recordStart..],
            RecordType.Stdin,
            id,
            output.Position - _recordStart - FastCgiConstants.HeaderSize);
        return length;
    }

    private void WriteEndOfStream()
    {
        if (requestId is { } id)
        {
            output.Advance(RecordWriter.WriteEndOfStream(
                output.GetSpan(RecordWriter.EndOfStreamRecordSize), RecordType.Stdin, id));
        }
    }

    private async ValueTask SendAsync(CancellationToken cancellationToken)
    {
        _recordStart = -1;
        if (output.Position == output.Start)
        {
            return;
        }

        OnSending?.Invoke();
        IsBroken = true;
        await connection.WriteAsync(output.Written, cancellationToken).ConfigureAwait(false);
        IsBroken = false;
        Sent += output.Written.Length;
        output.Clear();
    }

    /// <summary>Throws after a broken send: a shared connection may still send the unchanged output.</summary>
    private void ThrowIfBroken()
    {
        if (IsBroken)
        {
            throw new IOException("An earlier send broke off, so that nothing can follow it on this connection.");
        }
    }

    private FastCgiException WrongLength() => new(
        FastCgiError.InvalidRequest,
        $"The request content has {(_written > declaredLength ? "more" : "fewer")} bytes than its Content-Length " +
        $"says, {declaredLength}. Correct the header or leave it out.");
}
