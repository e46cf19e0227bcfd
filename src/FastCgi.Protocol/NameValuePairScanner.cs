namespace FastCgi.Protocol;

/// <summary>
/// Judges a stream of name-value pairs (FastCGI 1.0, section 3.4) while it arrives piece by piece. A pair counts in
/// full as soon as its lengths have been seen, so that content that will be refused is never buffered.
/// A mutable struct: keep it beside the buffer that the pieces go to. The default value has no room for any pair.
/// </summary>
public struct NameValuePairScanner
{
    private readonly long _maxTotalSize;
    private readonly int _maxLength;
    private readonly int _maxCount;

    private PairLengthsReader _lengths;
    private long _remaining;

    /// <summary>A scanner for one stream, with its ceilings. All of them are inclusive.</summary>
    /// <param name="maxTotalSize">Bytes of all pairs together, with their lengths, as they are on the wire.</param>
    /// <param name="maxLength">Bytes of one name, and of one value.</param>
    /// <param name="maxCount">Number of pairs.</param>
    public NameValuePairScanner(long maxTotalSize, int maxLength, int maxCount)
    {
        _maxTotalSize = maxTotalSize;
        _maxLength = maxLength;
        _maxCount = maxCount;
    }

    /// <summary>The first ceiling that was exceeded; it stays so.</summary>
    public NameValuePairLimit Exceeded { get; private set; }

    /// <summary>Bytes seen, and those that the lengths seen have declared.</summary>
    public long TotalSize { get; private set; }

    /// <summary>Pairs whose lengths have been seen.</summary>
    public int Count { get; private set; }

    /// <summary>The stream may end here: no pair has begun that is not whole.</summary>
    public readonly bool IsBetweenPairs => _remaining == 0 && _lengths.IsAtStart;

    /// <summary>
    /// Judges the next piece of the stream, cut anywhere. False: <see cref="Exceeded"/> tells why nothing more
    /// should be buffered.
    /// </summary>
    public bool TryScan(ReadOnlySpan<byte> piece)
    {
        while (Exceeded == NameValuePairLimit.None && !piece.IsEmpty)
        {
            var skipped = (int)Math.Min(_remaining, piece.Length);
            _remaining -= skipped;
            piece = piece[skipped..];

            var before = piece.Length;
            var isDeclared = _lengths.TryRead(ref piece);
            TotalSize += before - piece.Length;
            if (isDeclared)
            {
                Declare();
            }
            else if (TotalSize > _maxTotalSize)
            {
                Exceeded = NameValuePairLimit.TotalSize;
            }
        }

        return Exceeded == NameValuePairLimit.None;
    }

    private void Declare()
    {
        _remaining = (long)_lengths.NameLength + _lengths.ValueLength;
        TotalSize += _remaining;
        Count++;
        if (TotalSize > _maxTotalSize)
        {
            Exceeded = NameValuePairLimit.TotalSize;
        }
        else if (Math.Max(_lengths.NameLength, _lengths.ValueLength) > _maxLength)
        {
            Exceeded = NameValuePairLimit.Length;
        }
        else if (Count > _maxCount)
        {
            Exceeded = NameValuePairLimit.Count;
        }
    }
}
