using System.Buffers;

namespace FastCgi.Client.Connections.Multiplexing;

/// <summary>
/// One connection with several requests. Gives records to the stream of their request. When the stream of a slow reader
/// is full, it stops the connection, because FastCGI has no flow control for single requests.
/// </summary>
internal sealed class Multiplexer : ISharedConnection, IDisposable
{
    private const int ReceiveSize = 64 * 1024;

    private readonly Lock _gate = new();
    private readonly Dictionary<ushort, MultiplexedStream> _streams = [];
    private readonly SemaphoreSlim _sending = new(1, 1);
    private readonly CancellationTokenSource _closing = new();
    private readonly Stream _stream;
    private readonly int _most;
    private readonly string _endpoint;
    private ushort _lastId;
    private int _open;
    private bool _isClosed;
    private bool _isBroken;

    /// <param name="stream">The connection. It is disposed at the end.</param>
    /// <param name="most">The number of requests that the application accepts at a time.</param>
    /// <param name="createdAt">A timestamp of the time provider.</param>
    /// <param name="endpoint">The endpoint, for messages.</param>
    public Multiplexer(Stream stream, int most, long createdAt, string endpoint)
    {
        _endpoint = endpoint;
        CreatedAt = createdAt;
        _stream = stream;
        _most = most;

        // Without the context of the first request, because the loop outlives that request.
        using (ExecutionContext.SuppressFlow())
        {
            _ = ReadAsync();
        }
    }

    /// <summary>A timestamp of the time provider.</summary>
    public long CreatedAt { get; }

    /// <summary>True if a request has ended here. Then the application may have closed the connection.</summary>
    public bool HasServed { get; private set; }

    /// <summary>
    /// Opens a stream for one request after another. Null if the connection has ended or is full, or all ids are used.
    /// No id is used twice, because an application may answer a request after its end.
    /// </summary>
    public MultiplexedStream? TryOpen()
    {
        lock (_gate)
        {
            if (_isClosed || _streams.Count >= _most || _lastId == FastCgiConstants.MaxRequestId)
            {
                return null;
            }

            var stream = new MultiplexedStream(this, ++_lastId);
            _streams.Add(_lastId, stream);
            _open++;
            return stream;
        }
    }

    /// <summary>
    /// Sends whole records. A cancelled send continues without its caller: half a record would end all requests.
    /// </summary>
    public async ValueTask SendAsync(
        MultiplexedStream sender, ReadOnlyMemory<byte> records, CancellationToken cancellationToken)
    {
        await _sending.WaitAsync(cancellationToken).ConfigureAwait(false);
        Task sending = SendWithGateAsync(sender, records);
        try
        {
            await sending.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            AbandonedTask.Observe(sending);
            throw;
        }
    }

    /// <inheritdoc/>
    public ushort Renew(MultiplexedStream stream)
    {
        lock (_gate)
        {
            HasServed = true;
            if (_isClosed || _lastId == FastCgiConstants.MaxRequestId)
            {
                return 0;
            }

            _streams.Remove(stream.RequestId);
            _streams.Add(++_lastId, stream);
            return _lastId;
        }
    }

    /// <inheritdoc/>
    public bool Leave(ushort id, bool isBusy)
    {
        bool isLast;
        lock (_gate)
        {
            isLast = --_open == 0;

            // Set under the lock, so that no stream opens on a connection that is about to close.
            _isClosed |= isLast;
        }

        if (!isBusy)
        {
            Free(id);
        }

        if (isLast)
        {
            Dispose();
        }

        return !isLast;
    }

    /// <inheritdoc/>
    public void Free(ushort id)
    {
        lock (_gate)
        {
            _streams.Remove(id);
        }
    }

    /// <summary>Opens no more streams, and closes the connection when the last one has left.</summary>
    public void Drain()
    {
        bool isUnused;
        lock (_gate)
        {
            _isClosed = true;
            isUnused = _open == 0;
        }

        if (isUnused)
        {
            Dispose();
        }
    }

    /// <summary>Stops the read loop, which ends the streams: only the loop writes to them.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isClosed = true;
        }

        _closing.Cancel();
    }

    private async Task SendWithGateAsync(MultiplexedStream sender, ReadOnlyMemory<byte> records)
    {
        try
        {
            if (_isBroken)
            {
                throw new IOException("An earlier send on this connection failed, so that nothing can follow it.");
            }

            sender.OnSending(records.Span);
            await WriteAsync(records).ConfigureAwait(false);
        }
        finally
        {
            _sending.Release();
        }
    }

    /// <summary>Writes records. A failure may leave half a record, but earlier answers can still be read.</summary>
    private async ValueTask WriteAsync(ReadOnlyMemory<byte> records)
    {
        try
        {
            await _stream.WriteAsync(records, CancellationToken.None).ConfigureAwait(false);
        }
        catch
        {
            _isBroken = true;
            lock (_gate)
            {
                _isClosed = true;
            }

            throw;
        }
    }

    private async Task ReadAsync()
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(ReceiveSize);
        Exception? reason = null;
        try
        {
            var router = new RecordRouter(Find);
            int count;
            while ((count = await _stream.ReadAsync(buffer, _closing.Token).ConfigureAwait(false)) > 0)
            {
                if (!await router.RouteAsync(buffer.AsMemory(0, count)).ConfigureAwait(false))
                {
                    throw Violation("bytes that are no record of a response");
                }
            }
        }
        catch (Exception exception)
        {
            reason = exception is IOException or FastCgiException
                ? exception
                : new IOException(exception.Message, exception);
        }

        ArrayPool<byte>.Shared.Return(buffer);
        Close(reason);
    }

    /// <summary>Null if the request has ended, or its stream has left. Its further records are dropped.</summary>
    /// <exception cref="FastCgiException">There was no such request.</exception>
    private MultiplexedStream? Find(ushort id)
    {
        lock (_gate)
        {
            return id > 0 && id <= _lastId
                ? _streams.GetValueOrDefault(id)
                : throw Violation($"a record for request {id}, which was never begun");
        }
    }

    private FastCgiException Violation(string what) => new(
        FastCgiError.ProtocolViolation, $"{_endpoint} broke the FastCGI protocol: it sent {what}.");

    private void Close(Exception? reason)
    {
        MultiplexedStream[] streams;
        lock (_gate)
        {
            _isClosed = true;
            streams = [.. _streams.Values];
        }

        Array.ForEach(streams, stream => stream.End(reason));
        PooledConnection.Close(_stream);
    }
}
