namespace FastCgi.Protocol;

/// <summary>
/// Checks a stream of name-value pairs (FastCGI 1.0, section 3.4) while it arrives piece by piece. A pair counts in
/// full as soon as its lengths have been seen, so that content that will be refused is never buffered. A mutable
/// struct: keep it beside the buffer for the pieces. The default value accepts no pair.
/// </summary>
public struct NameValuePairScanner
{
    private readonly long _maxTotalSize;
    private readonly int _maxLength;
    private readonly int _maxCount;

    private PairLengthsReader _lengths;
    private long _remaining;

    /// <summary>Creates a scanner for one stream, with its limits, which are inclusive.</summary>
    /// <param name="maxTotalSize">Bytes of all pairs on the wire, including their lengths.</param>
    /// <param name="maxLength">Bytes of one name, and of one value.</param>
    /// <param name="maxCount">Number of pairs.</param>
    public NameValuePairScanner(long maxTotalSize, int maxLength, int maxCount)
    {
        _maxTotalSize = maxTotalSize;
        _maxLength = maxLength;
        _maxCount = maxCount;
    }

    /// <summary>The first limit that was exceeded. Does not change after that.</summary>
    public NameValuePairLimit Exceeded { get; private set; }

    /// <summary>The bytes seen so far, including those that the lengths have declared.</summary>
    public long TotalSize { get; private set; }

    /// <summary>The number of pairs whose lengths have been seen.</summary>
    public int Count { get; private set; }

    /// <summary>True if the stream may end here, because no pair is incomplete.</summary>
    public readonly bool IsBetweenPairs => _remaining == 0 && _lengths.IsAtStart;

    /// <summary>
    /// Checks the next piece of the stream, which may be cut anywhere. False if no more should be buffered;
    /// <see cref="Exceeded"/> has the reason.
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

/// <summary>Reads the two lengths before a name-value pair from pieces that may end anywhere (section 3.4).</summary>
internal struct PairLengthsReader
{
    private const byte LongLengthFlag = 0x80;
    private const byte LongLengthTail = 3;

    private uint _length;
    private byte _missing;
    private bool _isNameLengthKnown;

    public int NameLength { get; private set; }

    public int ValueLength { get; private set; }

    /// <summary>True if no byte of the next pair has been read.</summary>
    public readonly bool IsAtStart => _missing == 0 && !_isNameLengthKnown;

    /// <summary>True if both lengths are known. Then <paramref name="piece"/> continues with the name.</summary>
    public bool TryRead(ref ReadOnlySpan<byte> piece)
    {
        // The usual case: two short lengths in the same piece.
        if (IsAtStart && piece.Length >= 2 && ((piece[0] | piece[1]) & LongLengthFlag) == 0)
        {
            NameLength = piece[0];
            ValueLength = piece[1];
            piece = piece[2..];
            return true;
        }

        while (TryReadLength(ref piece))
        {
            if (_isNameLengthKnown)
            {
                ValueLength = (int)_length;
                _isNameLengthKnown = false;
                return true;
            }

            NameLength = (int)_length;
            _isNameLengthKnown = true;
        }

        return false;
    }

    private bool TryReadLength(ref ReadOnlySpan<byte> piece)
    {
        while (!piece.IsEmpty)
        {
            var next = piece[0];
            piece = piece[1..];
            if (_missing > 0)
            {
                _length = (_length << 8) | next;
                _missing--;
            }
            else if ((next & LongLengthFlag) != 0)
            {
                _length = next & ~(uint)LongLengthFlag;
                _missing = LongLengthTail;
            }
            else
            {
                _length = next;
            }

            if (_missing == 0)
            {
                return true;
            }
        }

        return false;
    }
}
