namespace FastCgi.Protocol;

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
