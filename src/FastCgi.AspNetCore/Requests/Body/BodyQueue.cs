using System.Buffers;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// The readable part of a body: segments in order, with positions counted from the start of the body. Tracks when it is
/// full and when it has room again. Not synchronised: guarded by the body's lock.
/// </summary>
/// <param name="segments">Creates the segments and takes them back.</param>
/// <param name="limit">Unexamined bytes at which the queue is full; null for no limit.</param>
internal sealed class BodyQueue(BodySegments segments, long? limit)
{
    private const int FirstSize = 4096;
    private const int NextSize = 16 * 1024;

    private BodySegment? _first;
    private BodySegment? _last;

    // The last segment that the reader has received but not advanced past.
    private BodySegment? _lentTo;
    private long _consumed;
    private long _examined;

    /// <summary>The end of the readable content, counted from the start of the body.</summary>
    public long End { get; private set; }

    /// <summary>The number of bytes that the reader has not examined.</summary>
    public long Unexamined => End - _examined;

    /// <summary>True once the limit is reached, until half of it has been examined.</summary>
    public bool IsFull { get; private set; }

    public void Append(ReadOnlySpan<byte> content)
    {
        while (!content.IsEmpty)
        {
            if (_last is not { Room: > 0 })
            {
                Link(segments.Rent(Math.Max(content.Length, _last is null ? FirstSize : NextSize)));
            }

            int count = _last!.Append(content);
            content = content[count..];
            End += count;
        }

        IsFull |= Unexamined >= limit;
    }

    /// <summary>Takes ownership of a segment, without a copy.</summary>
    public void Append(BodySegment segment)
    {
        Link(segment);
        End += segment.Length;
        IsFull |= Unexamined >= limit;
    }

    /// <summary>Gives the reader everything that is not consumed.</summary>
    public ReadOnlySequence<byte> Lend()
    {
        if (_first is null)
        {
            return default;
        }

        _lentTo = _last;
        return new ReadOnlySequence<byte>(_first, (int)(_consumed - _first.RunningIndex), _last!, _last!.Length);
    }

    /// <exception cref="InvalidOperationException">The positions are outside of the content that was read.</exception>
    public void Advance(SequencePosition consumed, SequencePosition examined)
    {
        long consumedTo = Find(consumed, orElse: _consumed);
        long examinedTo = examined.GetObject() is BodySegment segment
            ? segment.RunningIndex + examined.GetInteger()
            : Math.Max(_examined, consumedTo);
        if (consumedTo < _consumed || examinedTo < consumedTo || examinedTo > End)
        {
            throw new InvalidOperationException(
                "The positions must lie in the content that was read, consumed before examined.");
        }

        _lentTo = null;
        _examined = examinedTo;
        _consumed = consumedTo;
        while (_first is { } first && first.End <= consumedTo)
        {
            _first = first.Following;
            segments.Return(first);
        }

        _last = _first is null ? null : _last;
        MeasureRoom();
    }

    /// <summary>Makes room after the reader has failed and needs none of the content.</summary>
    public void ExamineAll()
    {
        _examined = End;
        MeasureRoom();
    }

    /// <summary>
    /// Drops all content. Segments that the reader has received but not advanced past are left to the garbage
    /// collector: an application may still read them, and must not see another client's bytes there.
    /// </summary>
    public void Clear()
    {
        bool isLent = _lentTo is not null;
        while (_first is { } first)
        {
            _first = first.Following;
            if (isLent)
            {
                isLent = first != _lentTo;
                segments.Abandon(first);
            }
            else
            {
                segments.Return(first);
            }
        }

        _last = _lentTo = null;
        _consumed = _examined = End = 0;
        IsFull = false;
    }

    private void Link(BodySegment segment)
    {
        segment.StartAt(End);
        _first ??= segment;
        _last?.Link(segment);
        _last = segment;
    }

    private long Find(SequencePosition position, long orElse)
    {
        if (position.GetObject() is not BodySegment segment)
        {
            return orElse;
        }

        BodySegment? found = _first;
        while (found is not null && found != segment)
        {
            found = found.Following;
        }

        return found is null ? -1 : found.RunningIndex + position.GetInteger();
    }

    private void MeasureRoom() => IsFull &= Unexamined >= Math.Max(limit.GetValueOrDefault() / 2, 1);
}

/// <summary>One buffer of a body. Grows only at its end, so that existing sequences over it stay valid.</summary>
internal sealed class BodySegment : ReadOnlySequenceSegment<byte>
{
    public byte[] Buffer { get; private set; } = [];

    public int Length => Memory.Length;

    public long End => RunningIndex + Length;

    public int Room => Buffer.Length - Length;

    public BodySegment? Following => (BodySegment?)Next;

    /// <summary>The unused end of the buffer.</summary>
    public Memory<byte> Free => Buffer.AsMemory(Length);

    public void Open(byte[] buffer) => Buffer = buffer;

    /// <summary>Copies as much of <paramref name="content"/> as fits. Returns the number of bytes.</summary>
    public int Append(ReadOnlySpan<byte> content)
    {
        int count = Math.Min(content.Length, Room);
        content[..count].CopyTo(Free.Span);
        Grow(count);
        return count;
    }

    /// <summary>Makes the first bytes of <see cref="Free"/> part of the content.</summary>
    public void Grow(int count) => Memory = Buffer.AsMemory(0, Length + count);

    public void StartAt(long position) => RunningIndex = position;

    public void Link(BodySegment next) => Next = next;

    /// <summary>Empties the segment and returns its buffer.</summary>
    public byte[] Close()
    {
        byte[] buffer = Buffer;
        Buffer = [];
        Memory = default;
        RunningIndex = 0;
        Next = null;
        return buffer;
    }
}

/// <summary>Creates segments with a buffer and takes them back. Not synchronised: guarded by the body's lock.</summary>
internal sealed class BodySegments(BufferPool pool)
{
    // More than a body of the default size needs, so that the allocations of an upload do not grow with its size.
    private const int MaxSpare = 128;

    private readonly Stack<BodySegment> _spare = new();

    /// <summary>Returns an empty segment with room for at least <paramref name="size"/> bytes.</summary>
    public BodySegment Rent(int size)
    {
        BodySegment segment = _spare.TryPop(out BodySegment? spare) ? spare : new BodySegment();
        segment.Open(pool.Rent(size));
        return segment;
    }

    public void Return(BodySegment segment)
    {
        pool.Return(segment.Close());
        if (_spare.Count < MaxSpare)
        {
            _spare.Push(segment);
        }
    }

    /// <summary>Drops a segment that a reader may still use: neither it nor its buffer is reused.</summary>
    public void Abandon(BodySegment segment) => pool.Abandon(segment.Buffer);
}
