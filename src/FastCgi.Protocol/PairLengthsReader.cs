namespace FastCgi.Protocol;

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
