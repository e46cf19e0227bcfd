namespace FastCgi.Protocol;

/// <summary>Where a name and its value lie in the content they were read from (FastCGI 1.0, section 3.4).</summary>
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

    /// <summary>First byte of the name, from the begin of the content.</summary>
    public int NameOffset { get; }

    /// <summary>Bytes of the name; may be 0.</summary>
    public int NameLength { get; }

    /// <summary>First byte of the value, from the begin of the content.</summary>
    public int ValueOffset { get; }

    /// <summary>Bytes of the value; may be 0.</summary>
    public int ValueLength { get; }

    /// <summary>The name, as a slice of the content that the pair was read from.</summary>
    public ReadOnlySpan<byte> NameIn(ReadOnlySpan<byte> content) => content.Slice(NameOffset, NameLength);

    /// <summary>The value, as a slice of the content that the pair was read from.</summary>
    public ReadOnlySpan<byte> ValueIn(ReadOnlySpan<byte> content) => content.Slice(ValueOffset, ValueLength);
}
