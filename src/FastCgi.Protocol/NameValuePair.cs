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
/// <param name="NameOffset">First byte of the name, from the begin of the content.</param>
/// <param name="NameLength">Bytes of the name; may be 0.</param>
/// <param name="ValueOffset">First byte of the value, from the begin of the content.</param>
/// <param name="ValueLength">Bytes of the value; may be 0.</param>
public readonly record struct NameValuePair(int NameOffset, int NameLength, int ValueOffset, int ValueLength)
{
    /// <summary>The name, as a slice of the content that the pair was read from.</summary>
    public ReadOnlySpan<byte> NameIn(ReadOnlySpan<byte> content) => content.Slice(NameOffset, NameLength);

    /// <summary>The value, as a slice of the content that the pair was read from.</summary>
    public ReadOnlySpan<byte> ValueIn(ReadOnlySpan<byte> content) => content.Slice(ValueOffset, ValueLength);
}
