using System.Buffers.Binary;

namespace FastCgi.Protocol;

/// <summary>Reads the name-value pairs of contiguous content, in place (FastCGI 1.0, section 3.4).</summary>
/// <remarks>
/// The content of a stream must first be joined from its records, because a pair may be cut anywhere.
/// </remarks>
public ref struct NameValuePairReader
{
    private const int LongLengthSize = 4;
    private const uint LongLengthFlag = 0x8000_0000;

    private readonly ReadOnlySpan<byte> _content;
    private int _position;

    /// <summary>Reads from the beginning of <paramref name="content"/>.</summary>
    public NameValuePairReader(ReadOnlySpan<byte> content) => _content = content;

    /// <summary>
    /// True if <see cref="TryRead"/> has found a pair that is longer than the rest. Later calls find the same pair.
    /// </summary>
    public bool IsTruncated { get; private set; }

    /// <summary>
    /// False if the content has ended, either after a complete pair or, with <see cref="IsTruncated"/>, inside one.
    /// </summary>
    public bool TryRead(out NameValuePair pair)
    {
        pair = default;
        if (_position == _content.Length)
        {
            return false;
        }

        var position = _position;
        if (!TryReadLength(ref position, out var nameLength)
            || !TryReadLength(ref position, out var valueLength)
            || (long)nameLength + valueLength > _content.Length - position) // the sum of two lengths may exceed an int
        {
            IsTruncated = true;
            return false;
        }

        pair = new NameValuePair(position, nameLength, position + nameLength, valueLength);
        _position = position + nameLength + valueLength;
        return true;
    }

    private readonly bool TryReadLength(ref int position, out int length)
    {
        if (position == _content.Length)
        {
            length = 0;
            return false;
        }

        length = _content[position];
        if (length < NameValuePairWriter.LongLengthThreshold)
        {
            position++;
            return true;
        }

        if (!BinaryPrimitives.TryReadUInt32BigEndian(_content[position..], out var flagged))
        {
            return false;
        }

        length = (int)(flagged & ~LongLengthFlag);
        position += LongLengthSize;
        return true;
    }
}

/// <summary>The position of a name and its value in the content (FastCGI 1.0, section 3.4).</summary>
/// <remarks>
/// <code>
/// +-------------+--------------+-----------+------------+
/// | name length | value length | name      | value      |
/// +-------------+--------------+-----------+------------+
///
/// each length: one byte below 128,   +---------+      or four bytes,   +---------+---------+---------+---------+
///                                    |0 length |      big endian,      |1 length (31 bits)                     |
///                                    +---------+      highest bit set  +---------+---------+---------+---------+
/// </code>
/// </remarks>
public readonly struct NameValuePair
{
    internal NameValuePair(int nameOffset, int nameLength, int valueOffset, int valueLength)
    {
        NameOffset = nameOffset;
        NameLength = nameLength;
        ValueOffset = valueOffset;
        ValueLength = valueLength;
    }

    /// <summary>The offset of the name in the content.</summary>
    public int NameOffset { get; }

    /// <summary>The length of the name in bytes; may be 0.</summary>
    public int NameLength { get; }

    /// <summary>The offset of the value in the content.</summary>
    public int ValueOffset { get; }

    /// <summary>The length of the value in bytes; may be 0.</summary>
    public int ValueLength { get; }

    /// <summary>The name, as a slice of the content that the pair was read from.</summary>
    public ReadOnlySpan<byte> NameIn(ReadOnlySpan<byte> content) => content.Slice(NameOffset, NameLength);

    /// <summary>The value, as a slice of the content that the pair was read from.</summary>
    public ReadOnlySpan<byte> ValueIn(ReadOnlySpan<byte> content) => content.Slice(ValueOffset, ValueLength);
}
