using System.Diagnostics;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The buffer of one STDOUT record that is being written: room for its header in front, the content, and behind it
/// always room for the records that end a response. Guarded by the lock of its <see cref="ResponseRecords"/>.
/// </summary>
/// <remarks>
/// <code>
/// | header | head, body ...                       | free ... | empty STDOUT | END_REQUEST |
/// ^ Start            Position ^            Limit ^            24 bytes, always free
/// </code>
/// </remarks>
internal sealed class RecordBlock(BufferPool pool)
{
    public const int FirstSize = 4096;
    public const int MaxSize = 64 * 1024;

    /// <summary>The most content that one block takes.</summary>
    public const int MaxContent = MaxSize - FastCgiConstants.HeaderSize - RecordWriter.EndOfResponseSize;

    private const int Overhead = FastCgiConstants.HeaderSize + RecordWriter.EndOfResponseSize;

    private byte[]? _buffer;
    private int _position;

    private MemoryLeases _leases;

    /// <summary>Where the record begins. Not 0 while the application holds memory of a block that was sent.</summary>
    public int Start { get; private set; }

    /// <summary>False: the content is sent without the header, whose room stays unused.</summary>
    public bool HasHeader { get; set; } = true;

    /// <summary>Where what is sent begins: at the header, or behind its room.</summary>
    public int FirstByte => HasHeader || ContentLength == 0 ? Start : Start + FastCgiConstants.HeaderSize;

    public byte[] Buffer => _buffer!;

    /// <summary>False before the first content, and while a sender has the buffer.</summary>
    public bool HasBuffer => _buffer is not null;

    public int ContentLength => _buffer is null ? 0 : _position - Start - FastCgiConstants.HeaderSize;

    public int Room => _buffer is null
        ? 0
        : Math.Min(_buffer.Length, MaxSize) - RecordWriter.EndOfResponseSize - _position;

    /// <summary>The application may be writing behind the position.</summary>
    public bool IsLeased => _leases.AreOpen;

    /// <summary>More content can be had by a larger buffer, without sending.</summary>
    public bool CanGrowFor(int count) => ContentLength + count <= MaxContent && Buffer.Length < MaxSize;

    public void Rent(int content)
    {
        if (_buffer is null)
        {
            _buffer = pool.Rent(Math.Min(MaxSize, Math.Max(FirstSize, content + Overhead)));
            Restart();
        }
    }

    public void GrowFor(int count) =>
        Grow(Math.Min(MaxSize, Math.Max(Buffer.Length * 4, ContentLength + count + Overhead)));

    /// <summary>The free memory, for the application.</summary>
    public Memory<byte> Lease()
    {
        _leases.Begin();
        return _buffer.AsMemory(_position, Room);
    }

    public void Advance(int count)
    {
        _leases.End();
        _position += count;
    }

    /// <summary>The content goes on in another buffer if the application may be writing into this one.</summary>
    public void EndLeases()
    {
        if (IsLeased)
        {
            Grow(_buffer!.Length);
        }
    }

    /// <summary>Copies what fits, and says how much.</summary>
    public int Append(ReadOnlySpan<byte> data)
    {
        int count = Math.Min(data.Length, Room);
        data[..count].CopyTo(_buffer.AsSpan(_position));
        _position += count;
        return count;
    }

    /// <summary>Fills the header in; the end of the record, which is its start when there is no content.</summary>
    public int Finish(ushort requestId)
    {
        int content = ContentLength;
        if (content == 0)
        {
            return Start;
        }

        RecordWriter.WriteHeader(_buffer.AsSpan(Start), RecordType.Stdout, requestId, content);
        return _position;
    }

    /// <summary>The buffer is free again for the next record.</summary>
    public void Restart()
    {
        Start = 0;
        _position = FastCgiConstants.HeaderSize;
    }

    /// <summary>
    /// Where a head is written in a buffer that is to become the block's by <see cref="Adopt"/>. Until then it is the
    /// writer's alone: encoding selectors are user code, and another thread may write to the same response.
    /// </summary>
    public static Span<byte> RoomForHead(byte[] buffer) => buffer.AsSpan(FastCgiConstants.HeaderSize,
        Math.Min(buffer.Length, MaxSize) - FastCgiConstants.HeaderSize - RecordWriter.EndOfResponseSize);

    /// <summary>A buffer with a head of <paramref name="length"/> bytes becomes the block's.</summary>
    public void Adopt(byte[] buffer, int length)
    {
        Release();
        _buffer = buffer;
        Restart();
        _position += length;
    }

    /// <summary>
    /// The record went as a copy, since the application still writes behind it: the last eight bytes of what was sent
    /// become the header of the next record.
    /// </summary>
    public void RestartBehind() => Start = _position - FastCgiConstants.HeaderSize;

    /// <summary>The buffer is the caller's now. It is not leased.</summary>
    public byte[] Take()
    {
        Debug.Assert(!IsLeased, "The application may be writing into the buffer.");
        byte[] buffer = _buffer!;
        _buffer = null;
        return buffer;
    }

    /// <summary>
    /// The buffer that was taken is here again, with the record that it held. If the response ended meanwhile, another
    /// buffer has taken its place.
    /// </summary>
    public void PutBack(byte[] buffer)
    {
        if (_buffer is null)
        {
            _buffer = buffer;
        }
        else
        {
            pool.Return(buffer);
        }
    }

    public void Release()
    {
        if (_buffer is not null)
        {
            _leases.GiveBack(pool, _buffer);
            _buffer = null;
        }
    }

    private void Grow(int size)
    {
        byte[] larger = pool.Rent(size);
        _buffer.AsSpan(Start, _position - Start).CopyTo(larger);
        _position -= Start;
        Start = 0;
        _leases.GiveBack(pool, _buffer!);
        _buffer = larger;
    }
}

/// <summary>
/// Body bytes that have no place in a record yet: written before the head is known, or under a lease that is larger
/// than any record. Guarded by the lock of its <see cref="ResponseRecords"/>.
/// </summary>
internal sealed class PreHeadBuffer(BufferPool pool)
{
    private const int FirstSize = 4096;
    private const int SmallestLease = 256;

    private byte[]? _buffer;
    private int _start;
    private int _end;

    private MemoryLeases _leases;

    public int Length => _end - _start;

    /// <summary>The memory of the last lease is still here: the rest of it can be advanced too.</summary>
    public bool HasLease { get; private set; }

    public ReadOnlySpan<byte> Written => _buffer.AsSpan(_start, Length);

    public Memory<byte> Lease(int sizeHint)
    {
        Reserve(Math.Max(sizeHint, SmallestLease));
        HasLease = true;
        _leases.Begin();
        return _buffer.AsMemory(_end);
    }

    public bool CanAdvance(int count) => HasLease && count <= _buffer!.Length - _end;

    public void Advance(int count)
    {
        _leases.End();
        _end += count;
    }

    /// <summary>
    /// The bytes, if there are any, go on in another buffer where the application may be writing into this one.
    /// </summary>
    public void EndLeases()
    {
        HasLease = false;
        if (Length == 0)
        {
            Clear();
        }
        else if (_leases.AreOpen)
        {
            Grow(_buffer!.Length);
        }
    }

    public void Append(ReadOnlySpan<byte> data)
    {
        Reserve(data.Length);
        data.CopyTo(_buffer.AsSpan(_end));
        _end += data.Length;
    }

    /// <summary>The written bytes are elsewhere. The memory stays while its lease can be advanced.</summary>
    public void DropWritten()
    {
        _start = _end;
        if (!HasLease)
        {
            Clear();
        }
    }

    public void Clear()
    {
        _start = _end = 0;
        HasLease = false;
        if (_buffer is not null)
        {
            _leases.GiveBack(pool, _buffer);
            _buffer = null;
        }
    }

    private void Reserve(int needed)
    {
        if (_buffer is null || _buffer.Length - _end < needed)
        {
            Grow(Math.Max(FirstSize, checked(Length + Math.Max(Length, needed))));
        }
    }

    private void Grow(int size)
    {
        byte[] larger = pool.Rent(size);
        if (_buffer is not null)
        {
            Written.CopyTo(larger);
            _leases.GiveBack(pool, _buffer);
        }

        _buffer = larger;
        (_start, _end) = (0, Length);
    }
}

/// <summary>
/// The leases of one buffer that were not advanced: the application may be writing into it, on whatever thread. A
/// mutable struct: keep one beside the buffer.
/// </summary>
internal struct MemoryLeases
{
    private int _open;

    /// <summary>No record of ours may stand in the free memory, and the buffer may be nobody else's.</summary>
    public readonly bool AreOpen => _open > 0;

    public void Begin() => _open++;

    public void End() => _open = Math.Max(_open - 1, 0);

    /// <summary>The buffer is not needed any more. The next one has no lease.</summary>
    public void GiveBack(BufferPool pool, byte[] buffer)
    {
        if (AreOpen)
        {
            pool.Abandon(buffer);
            _open = 0;
        }
        else
        {
            pool.Return(buffer);
        }
    }
}
