using System.Buffers;

namespace FastCgi.Client.Sending;

/// <summary>
/// The bytes that came from a connection and were not taken yet. A read may begin ahead of the request, to learn
/// whether the peer has closed the connection; it then is the first receive.
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

    /// <summary>Something has come.</summary>
    public bool HasReceived { get; private set; }

    public bool IsEmpty => _start == _end;

    /// <summary>The received bytes. A reader takes them from the front by assigning the rest.</summary>
    public ReadOnlyMemory<byte> Received
    {
        get => _buffer.AsMemory(_start, _end - _start);
        set => _start = _end - value.Length;
    }

    /// <summary>False: the peer has sent or closed before it was asked anything.</summary>
    public bool TryReadAhead(CancellationToken cancellationToken)
    {
#pragma warning disable CA2012 // ReceiveAsync awaits it, or Dispose observes it; each of them once.
        _ahead = stream.ReadAsync(_buffer, cancellationToken);
#pragma warning restore CA2012
        _isAhead = true;
        return !_ahead.IsCompleted;
    }

    /// <summary>False: the peer has closed the connection. All that came before has been taken.</summary>
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
    /// Reads past the buffer, which is empty, straight into <paramref name="destination"/>. 0: the peer has closed the
    /// connection.
    /// </summary>
    public ValueTask<int> ReceiveIntoAsync(Memory<byte> destination, CancellationToken cancellationToken) =>
        stream.ReadAsync(destination, cancellationToken);

    /// <summary>The peer has sent these bytes behind the end of its response.</summary>
    public void PutBack(ReadOnlySpan<byte> rest)
    {
        _start = 0;
        _end = Math.Min(rest.Length, _buffer.Length);
        rest[.._end].CopyTo(_buffer);
    }

    /// <summary>Gives the buffer back, unless a read that is still under way may write to it.</summary>
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
