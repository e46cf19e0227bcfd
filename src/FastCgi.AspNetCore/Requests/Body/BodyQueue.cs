using System.Buffers;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// The part of a body that can be read: segments in order, with positions counted from the start of the body. Says when
/// it is full and when there is room again. Not synchronised: the body's lock guards it.
/// </summary>
/// <param name="segments">Makes the segments and takes them back.</param>
/// <param name="limit">Bytes not yet examined at which the queue is full; null is no limit.</param>
internal sealed class BodyQueue(BodySegments segments, long? limit)
{
    private const int FirstSize = 4096;
    private const int NextSize = 16 * 1024;

    private BodySegment? _first;
    private BodySegment? _last;

    // The last segment that a reader was handed and has not advanced over.
    private BodySegment? _lentTo;
    private long _consumed;
    private long _examined;

    /// <summary>Where the readable content ends, counted from the start of the body.</summary>
    public long End { get; private set; }

    /// <summary>Bytes that the reader has not looked at.</summary>
    public long Unexamined => End - _examined;

    /// <summary>True from the limit on, until half of it has been examined.</summary>
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

    /// <summary>Takes a segment over, without a copy.</summary>
    public void Append(BodySegment segment)
    {
        Link(segment);
        End += segment.Length;
        IsFull |= Unexamined >= limit;
    }

    /// <summary>Hands everything that is not consumed to the reader.</summary>
    public ReadOnlySequence<byte> Lend()
    {
        if (_first is null)
        {
            return default;
        }

        _lentTo = _last;
        return new ReadOnlySequence<byte>(_first, (int)(_consumed - _first.RunningIndex), _last!, _last!.Length);
    }

    /// <exception cref="InvalidOperationException">The positions are not in the content handed out.</exception>
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

    /// <summary>The reader has failed: it needs none of the content, so there is room for more.</summary>
    public void ExamineAll()
    {
        _examined = End;
        MeasureRoom();
    }

    /// <summary>
    /// Gives all content up. Segments that a reader was handed and has not advanced over are left to the collector: an
    /// application may still look at them, and must not see the bytes of another client there.
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
