using System.Buffers;
using FastCgi.Protocol;

namespace FastCgi.Client.Connections.Multiplexing;

/// <summary>
/// One connection with several requests on it. Records are handed to the stream of their request; a stream whose reader
/// is slow stops the connection when it is full, since FastCGI has no flow control for each request.
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
    private ushort _lastId;
    private bool _isClosed;

    /// <param name="stream">The connection, which is disposed at its end.</param>
    /// <param name="most">How many requests the application takes at a time.</param>
    /// <param name="createdAt">As a timestamp of the time provider.</param>
    public Multiplexer(Stream stream, int most, long createdAt)
    {
        CreatedAt = createdAt;
        _stream = stream;
        _most = most;
        _ = ReadAsync();
    }

    /// <summary>As a timestamp of the time provider.</summary>
    public long CreatedAt { get; }

    /// <summary>A stream for one request after another; null: the connection has ended or is full.</summary>
    public MultiplexedStream? TryOpen()
    {
        lock (_gate)
        {
            if (_isClosed || _streams.Count >= _most)
            {
                return null;
            }

            do
            {
                _lastId = _lastId == FastCgiConstants.MaxRequestId ? (ushort)1 : (ushort)(_lastId + 1);
            }
            while (_streams.ContainsKey(_lastId));
            var stream = new MultiplexedStream(this, _lastId);
            _streams.Add(_lastId, stream);
            return stream;
        }
    }

    /// <summary>
    /// Sends whole records. A cancelled send goes on without its caller, because half a record would end all requests.
    /// </summary>
    public async ValueTask SendAsync(
        IRecordSender sender, ReadOnlyMemory<byte> records, CancellationToken cancellationToken)
    {
        await _sending.WaitAsync(cancellationToken).ConfigureAwait(false);
        await SendWithGateAsync(sender, records).WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The id may be used for another stream. The last stream closes the connection.</summary>
    public void Free(ushort id)
    {
        bool isLast;
        lock (_gate)
        {
            _streams.Remove(id);
            isLast = _streams.Count == 0;

            // From here on no stream opens on a connection that is about to close.
            _isClosed |= isLast;
        }

        if (isLast)
        {
            Dispose();
        }
    }

    /// <summary>The read loop ends the streams, which it alone writes to.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isClosed = true;
        }

        _closing.Cancel();
    }

    private async Task SendWithGateAsync(IRecordSender sender, ReadOnlyMemory<byte> records)
    {
        try
        {
            sender.OnSending(records.Span);
            await _stream.WriteAsync(records, CancellationToken.None).ConfigureAwait(false);
        }
        finally
        {
            _sending.Release();
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
            while ((count = await _stream.ReadAsync(buffer, _closing.Token).ConfigureAwait(false)) > 0
                && await router.RouteAsync(buffer.AsMemory(0, count)).ConfigureAwait(false))
            {
            }
        }
        catch (Exception exception)
        {
            reason = exception as IOException ?? new IOException(exception.Message, exception);
        }

        ArrayPool<byte>.Shared.Return(buffer);
        Close(reason);
    }

    private MultiplexedStream? Find(ushort id)
    {
        lock (_gate)
        {
            return _streams.GetValueOrDefault(id);
        }
    }

    private void Close(Exception? reason)
    {
        MultiplexedStream[] streams;
        lock (_gate)
        {
            _isClosed = true;
            streams = [.. _streams.Values];
        }

        _stream.Dispose();
        Array.ForEach(streams, stream => stream.End(reason));
    }
}
