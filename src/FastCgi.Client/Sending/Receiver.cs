using System.Buffers;

namespace FastCgi.Client.Sending;

/// <summary>
/// The received but not yet taken bytes of a connection. A read may begin before the request, to detect whether the
/// peer has closed the connection. It is then the first receive.
/// </summary>
internal sealed class Receiver(Stream stream)
{
    /// <summary>The buffer's length, in bytes.</summary>
    public const int Size = 16 * 1024;

    private byte[] _buffer = ArrayPool<byte>.Shared.Rent(Size);
    private int _start;
    private int _end;
    private ValueTask<int> _ahead;
    private bool _isAhead;

    /// <summary>True if bytes have come.</summary>
    public bool HasReceived { get; private set; }

    public bool IsEmpty => _start == _end;

    /// <summary>The received bytes. A reader takes bytes from the front by assigning the rest.</summary>
    public ReadOnlyMemory<byte> Received
    {
        get => _buffer.AsMemory(_start, _end - _start);
        set => _start = _end - value.Length;
    }

    /// <summary>False if the peer has sent bytes or closed before the request.</summary>
    public bool TryReadAhead(CancellationToken cancellationToken)
    {
#pragma warning disable CA2012 // ReceiveAsync awaits it, or Dispose observes it; each of them once.
        _ahead = stream.ReadAsync(_buffer, cancellationToken);
#pragma warning restore CA2012
        _isAhead = true;
        return !_ahead.IsCompleted;
    }

    /// <summary>False if the peer has closed the connection. All earlier bytes must have been taken.</summary>
    public async ValueTask<bool> ReceiveAsync(CancellationToken cancellationToken)
    {
        ValueTask<int> reading = _isAhead ? _ahead : stream.ReadAsync(_buffer, cancellationToken);
        _isAhead = false;
        _start = _end = 0;
        _end = await reading.ConfigureAwait(false);
        HasReceived |= _end > 0;
        return _end > 0;
    }

    /// <summary>
    /// Reads directly into <paramref name="destination"/>, past the empty buffer. 0 if the peer has closed the
    /// connection.
    /// </summary>
    public ValueTask<int> ReceiveIntoAsync(Memory<byte> destination, CancellationToken cancellationToken) =>
        stream.ReadAsync(destination, cancellationToken);

    /// <summary>Stores bytes that the peer has sent after the end of its response.</summary>
    public void PutBack(ReadOnlySpan<byte> rest)
    {
        _start = 0;
        _end = Math.Min(rest.Length, _buffer.Length);
        rest[.._end].CopyTo(_buffer);
    }

    /// <summary>Returns the buffer, unless a running read may write to it.</summary>
    public void Dispose()
    {
        if (_isAhead)
        {
            _isAhead = false;
            AbandonedTask.Observe(_ahead.AsTask());
        }
        else if (_buffer.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_buffer);
        }

        _buffer = [];
        _start = _end = 0;
    }
}
