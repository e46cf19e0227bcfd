using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Body bytes that have no place in a record yet: written before the head is known, or under a lease that is larger
/// than any record. Guarded by the lock of its <see cref="ResponseRecords"/>.
/// </summary>
internal sealed class PreHeadBuffer(BufferPool pool)
{
    private const int FirstSize = 4096;
    private const int SmallestLease = 256;

    private byte[]? _buffer;

    public int Length { get; private set; }

    /// <summary>The application is writing into the memory.</summary>
    public bool IsLeased { get; private set; }

    /// <summary>The memory of the last lease is still here: the rest of it can be advanced too.</summary>
    public bool HasLease { get; private set; }

    public ReadOnlySpan<byte> Written => _buffer.AsSpan(0, Length);

    public Memory<byte> Lease(int sizeHint)
    {
        Reserve(Math.Max(sizeHint, SmallestLease));
        HasLease = IsLeased = true;
        return _buffer.AsMemory(Length);
    }

    public bool CanAdvance(int count) => HasLease && count <= _buffer!.Length - Length;

    public void Advance(int count)
    {
        IsLeased = false;
        Length += count;
    }

    public void DropLease() => HasLease = IsLeased = false;

    public void Append(ReadOnlySpan<byte> data)
    {
        Reserve(data.Length);
        data.CopyTo(_buffer.AsSpan(Length));
        Length += data.Length;
    }

    public void Clear()
    {
        Length = 0;
        DropLease();
        if (_buffer is not null)
        {
            pool.Return(_buffer);
            _buffer = null;
        }
    }

    private void Reserve(int needed)
    {
        if (_buffer is not null && _buffer.Length - Length >= needed)
        {
            return;
        }

        byte[] larger = pool.Rent(Math.Max(FirstSize, checked(Length + Math.Max(Length, needed))));
        if (_buffer is not null)
        {
            Written.CopyTo(larger);
            pool.Return(_buffer);
        }

        _buffer = larger;
    }
}
