using System.Diagnostics;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The buffer of one STDOUT record that is being written: room for its header, the content, and after it always room
/// for the records that end a response. Guarded by the lock of its <see cref="ResponseRecords"/>.
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

    /// <summary>The maximum content of one block.</summary>
    public const int MaxContent = MaxSize - FastCgiConstants.HeaderSize - RecordWriter.EndOfResponseSize;

    private const int Overhead = FastCgiConstants.HeaderSize + RecordWriter.EndOfResponseSize;

    private byte[]? _buffer;
    private int _position;

    private MemoryLeases _leases;

    /// <summary>The start of the record. Not 0 if the application holds memory of a block that was sent.</summary>
    public int Start { get; private set; }

    /// <summary>False if the content is sent without the header; the room for the header stays unused.</summary>
    public bool HasHeader { get; set; } = true;

    /// <summary>The start of the bytes to send: the header, or the content if there is no header.</summary>
    public int FirstByte => HasHeader || ContentLength == 0 ? Start : Start + FastCgiConstants.HeaderSize;

    public byte[] Buffer => _buffer!;

    /// <summary>False before the first content, and while a sender owns the buffer.</summary>
    public bool HasBuffer => _buffer is not null;

    public int ContentLength => _buffer is null ? 0 : _position - Start - FastCgiConstants.HeaderSize;

    public int Room => _buffer is null
        ? 0
        : Math.Min(_buffer.Length, MaxSize) - RecordWriter.EndOfResponseSize - _position;

    /// <summary>True if the application may be writing after the position.</summary>
    public bool IsLeased => _leases.AreOpen;

    /// <summary>True if a larger buffer would make room without a send.</summary>
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

    /// <summary>Returns the free memory to the application.</summary>
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

    /// <summary>Moves the content to another buffer if the application may be writing into this one.</summary>
    public void EndLeases()
    {
        if (IsLeased)
        {
            Grow(_buffer!.Length);
        }
    }

    /// <summary>Copies as many bytes as fit. Returns their number.</summary>
    public int Append(ReadOnlySpan<byte> data)
    {
        int count = Math.Min(data.Length, Room);
        data[..count].CopyTo(_buffer.AsSpan(_position));
        _position += count;
        return count;
    }

    /// <summary>Writes the header. Returns the end of the record, which is its start if there is no content.</summary>
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

    /// <summary>Makes the buffer free for the next record.</summary>
    public void Restart()
    {
        Start = 0;
        _position = FastCgiConstants.HeaderSize;
    }

    /// <summary>
    /// The room for a head in a buffer that <see cref="Adopt"/> will give to the block. Until then only the writer of
    /// the head uses it: encoding selectors are user code, and another thread may write to the same response.
    /// </summary>
    public static Span<byte> RoomForHead(byte[] buffer) => buffer.AsSpan(FastCgiConstants.HeaderSize,
        Math.Min(buffer.Length, MaxSize) - FastCgiConstants.HeaderSize - RecordWriter.EndOfResponseSize);

    /// <summary>Gives the block a buffer with a head of <paramref name="length"/> bytes.</summary>
    public void Adopt(byte[] buffer, int length)
    {
        Release();
        _buffer = buffer;
        Restart();
        _position += length;
    }

    /// <summary>
    /// Begins the next record after a record that was sent as a copy, because the application still writes after it.
    /// The last eight sent bytes become the room for the next header.
    /// </summary>
    public void RestartBehind() => Start = _position - FastCgiConstants.HeaderSize;

    /// <summary>Gives the buffer to the caller. It must not be leased.</summary>
    public byte[] Take()
    {
        Debug.Assert(!IsLeased, "The application may be writing into the buffer.");
        byte[] buffer = _buffer!;
        _buffer = null;
        return buffer;
    }

    /// <summary>
    /// Takes back a buffer and the record in it. If the response has ended meanwhile, another buffer may have taken its
    /// place.
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
/// Body bytes that are not in a record yet: written before the head is known, or under a lease that is larger than any
/// record. Guarded by the lock of its <see cref="ResponseRecords"/>.
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

    /// <summary>True if the memory of the last lease is still here, so that more of it can be advanced.</summary>
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

    /// <summary>Moves the bytes, if any, to another buffer if the application may be writing into this one.</summary>
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

    /// <summary>Drops the bytes after they were moved. The memory stays while its lease can be advanced.</summary>
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
/// The leases of one buffer that were not advanced: the application may be writing into it on any thread. A mutable
/// struct: keep one for each buffer.
/// </summary>
internal struct MemoryLeases
{
    private int _open;

    /// <summary>While true, the free memory must hold no record, and the buffer must not be reused.</summary>
    public readonly bool AreOpen => _open > 0;

    public void Begin() => _open++;

    public void End() => _open = Math.Max(_open - 1, 0);

    /// <summary>Gives up the buffer. The next one has no lease.</summary>
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
