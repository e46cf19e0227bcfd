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
/// ^ Start                 End ^            Limit ^            24 bytes, always free
/// </code>
/// </remarks>
internal sealed class RecordBlock(BufferPool pool) : LeasedBuffer(pool)
{
    public const int FirstSize = 4096;
    public const int MaxSize = 64 * 1024;

    public const int MaxContent = MaxSize - FastCgiConstants.HeaderSize - RecordWriter.EndOfResponseSize;

    private const int Overhead = FastCgiConstants.HeaderSize + RecordWriter.EndOfResponseSize;

    /// <summary>False if the content is sent without the header; the room for the header stays unused.</summary>
    public bool HasHeader { get; set; } = true;

    /// <summary>The start of the bytes to send: the header, or the content if there is no header.</summary>
    public int FirstByte => HasHeader || ContentLength == 0 ? Start : Start + FastCgiConstants.HeaderSize;

    /// <summary>False before the first content, and while a sender owns the buffer.</summary>
    public bool HasBuffer => Array is not null;

    public byte[] Buffer => Array!;

    public int ContentLength => Array is null ? 0 : Length - FastCgiConstants.HeaderSize;

    public int Room => Array is null
        ? 0
        : Math.Min(Array.Length, MaxSize) - RecordWriter.EndOfResponseSize - End;

    /// <summary>True if a larger buffer would make room without a send.</summary>
    public bool CanGrowFor(int count) => ContentLength + count <= MaxContent && Buffer.Length < MaxSize;

    public void Rent(int content)
    {
        if (Array is null)
        {
            Array = Pool.Rent(Math.Min(MaxSize, Math.Max(FirstSize, content + Overhead)));
            Restart();
        }
    }

    public void GrowFor(int count) =>
        Grow(Math.Min(MaxSize, Math.Max(Buffer.Length * 4, ContentLength + count + Overhead)));

    /// <summary>Returns the free memory to the application.</summary>
    public Memory<byte> Lease() => Lend(Room);

    /// <summary>Moves the content to another buffer if the application may be writing into this one.</summary>
    public void EndLeases()
    {
        if (IsLeased)
        {
            Grow(Buffer.Length);
        }
    }

    /// <summary>Copies as many bytes as fit. Returns their number.</summary>
    public int Append(ReadOnlySpan<byte> data)
    {
        int count = Math.Min(data.Length, Room);
        Write(data[..count]);
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

        RecordWriter.WriteHeader(Array.AsSpan(Start), RecordType.Stdout, requestId, content);
        return End;
    }

    /// <summary>Makes the buffer free for the next record.</summary>
    public void Restart() => (Start, End) = (0, FastCgiConstants.HeaderSize);

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
        Array = buffer;
        Restart();
        End += length;
    }

    /// <summary>
    /// Begins the next record after a record that was sent as a copy, because the application still writes after it.
    /// The last eight sent bytes become the room for the next header.
    /// </summary>
    public void RestartBehind() => Start = End - FastCgiConstants.HeaderSize;

    /// <summary>Gives the buffer to the caller. It must not be leased.</summary>
    public byte[] Take()
    {
        Debug.Assert(!IsLeased, "The application may be writing into the buffer.");
        byte[] buffer = Buffer;
        Array = null;
        return buffer;
    }

    /// <summary>
    /// Takes back a buffer and the record in it. If the response has ended meanwhile, another buffer may have taken its
    /// place.
    /// </summary>
    public void PutBack(byte[] buffer)
    {
        if (Array is null)
        {
            Array = buffer;
        }
        else
        {
            Pool.Return(buffer);
        }
    }
}

/// <summary>
/// Body bytes that are not in a record yet: written before the head is known, or under a lease that is larger than any
/// record. Guarded by the lock of its <see cref="ResponseRecords"/>.
/// </summary>
internal sealed class PreHeadBuffer(BufferPool pool) : LeasedBuffer(pool)
{
    private const int FirstSize = 4096;
    private const int SmallestLease = 256;

    /// <summary>True if the memory of the last lease is still here, so that more of it can be advanced.</summary>
    public bool HasLease { get; private set; }

    private int Room => (Array?.Length ?? 0) - End;

    public Memory<byte> Lease(int sizeHint)
    {
        Reserve(Math.Max(sizeHint, SmallestLease));
        HasLease = true;
        return Lend(Room);
    }

    public bool CanAdvance(int count) => HasLease && count <= Room;

    /// <summary>Moves the bytes, if any, to another buffer if the application may be writing into this one.</summary>
    public void EndLeases()
    {
        HasLease = false;
        if (Length == 0)
        {
            Clear();
        }
        else if (IsLeased)
        {
            Grow(Array!.Length);
        }
    }

    public void Append(ReadOnlySpan<byte> data)
    {
        Reserve(data.Length);
        Write(data);
    }

    /// <summary>Drops the bytes after they were moved. The memory stays while its lease can be advanced.</summary>
    public void DropWritten()
    {
        Start = End;
        if (!HasLease)
        {
            Clear();
        }
    }

    public void Clear()
    {
        HasLease = false;
        Release();
    }

    private void Reserve(int needed)
    {
        if (Array is null || Room < needed)
        {
            Grow(Math.Max(FirstSize, checked(Length + Math.Max(Length, needed))));
        }
    }
}

/// <summary>
/// A buffer with written bytes, and free memory after them that the application leases. Until a lease is advanced, the
/// application may be writing there on any thread.
/// </summary>
internal abstract class LeasedBuffer(BufferPool pool)
{
    private int _openLeases;

    /// <summary>The start of the written bytes. Not 0 if the first bytes were sent from a leased buffer.</summary>
    public int Start { get; protected set; }

    /// <summary>The number of written bytes.</summary>
    public int Length => End - Start;

    public ReadOnlySpan<byte> Written => Array.AsSpan(Start, Length);

    /// <summary>While true, the free memory must hold no record, and the buffer must not be reused.</summary>
    public bool IsLeased => _openLeases > 0;

    protected BufferPool Pool { get; } = pool;

    protected byte[]? Array { get; set; }

    /// <summary>The end of the written bytes.</summary>
    protected int End { get; set; }

    public void Advance(int count)
    {
        _openLeases = Math.Max(_openLeases - 1, 0);
        End += count;
    }

    /// <summary>Gives up the buffer. The next one has no lease.</summary>
    public void Release()
    {
        if (Array is not null)
        {
            if (IsLeased)
            {
                Pool.Abandon(Array);
            }
            else
            {
                Pool.Return(Array);
            }
        }

        Array = null;
        Start = End = _openLeases = 0;
    }

    protected Memory<byte> Lend(int count)
    {
        _openLeases++;
        return Array.AsMemory(End, count);
    }

    protected void Write(ReadOnlySpan<byte> data)
    {
        data.CopyTo(Array.AsSpan(End));
        End += data.Length;
    }

    /// <summary>Moves the written bytes to another buffer.</summary>
    protected void Grow(int size)
    {
        byte[] larger = Pool.Rent(size);
        int length = Length;
        Written.CopyTo(larger);
        Release();
        (Array, End) = (larger, length);
    }
}
