using System.Buffers;

namespace FastCgi.Client.Requests;

/// <summary>Bytes for the application, in one rented array that grows.</summary>
internal sealed class OutputBuffer : IDisposable
{
    private const int InitialSize = 4096;

    private byte[] _bytes = ArrayPool<byte>.Shared.Rent(InitialSize);

    /// <summary>The start of the written bytes. The room before it is for a length that is written last.</summary>
    public int Start { get; set; }

    /// <summary>The position of the next byte.</summary>
    public int Position { get; private set; }

    public ReadOnlyMemory<byte> Written => _bytes.AsMemory(Start, Position - Start);

    /// <summary>The written bytes, which may be changed in place.</summary>
    public Span<byte> Bytes => _bytes.AsSpan(0, Position);

    /// <summary>Returns room for at least <paramref name="size"/> bytes.</summary>
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
