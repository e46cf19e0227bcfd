using System.Buffers;

namespace FastCgi.Client.Requests;

/// <summary>Bytes on their way to the application, in one rented array that grows.</summary>
internal sealed class OutputBuffer : IDisposable
{
    private const int InitialSize = 4096;

    private byte[] _bytes = ArrayPool<byte>.Shared.Rent(InitialSize);

    /// <summary>Where the written bytes begin. Room before it is for a length that is known last.</summary>
    public int Start { get; set; }

    /// <summary>Where the next byte goes.</summary>
    public int Position { get; private set; }

    public ReadOnlyMemory<byte> Written => _bytes.AsMemory(Start, Position - Start);

    /// <summary>The bytes already there, to be changed in place.</summary>
    public Span<byte> Bytes => _bytes.AsSpan(0, Position);

    /// <summary>Room for <paramref name="size"/> bytes or more.</summary>
    public Span<byte> GetSpan(int size)
    {
        if (_bytes.Length - Position < size)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(_bytes.Length * 2, Position + size));
            _bytes.AsSpan(0, Position).CopyTo(larger);
            ArrayPool<byte>.Shared.Return(_bytes);
            _bytes = larger;
        }

        return _bytes.AsSpan(Position);
    }

    public void Advance(int count) => Position += count;

    public void Write(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(GetSpan(bytes.Length));
        Position += bytes.Length;
    }

    public void Clear() => Start = Position = 0;

    public void Dispose()
    {
        if (_bytes.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_bytes);
            _bytes = [];
            Clear();
        }
    }
}
