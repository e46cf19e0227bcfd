namespace FastCgi.AspNetCore.Cgi;

/// <summary>Where one param is in the buffer, and what is known about it.</summary>
internal struct ParamEntry(int nameOffset, int nameLength, int valueOffset, int valueLength, KnownParam known)
{
    public readonly int NameOffset = nameOffset;
    public readonly int NameLength = nameLength;
    public readonly int ValueOffset = valueOffset;
    public readonly int ValueLength = valueLength;
    public readonly KnownParam Known = known;

    /// <summary>The name begins with <c>HTTP_</c>.</summary>
    public readonly bool IsHeader { get; init; }

    /// <summary>A forwarding header, which no application sees.</summary>
    public readonly bool IsForwarding { get; init; }

    /// <summary>One more than the index of the param of the same known name before this one; 0 for none.</summary>
    public int Previous;

    /// <summary>A line with a value of a header field that is not a known param.</summary>
    public readonly bool IsOtherLine(bool forwarding) =>
        IsHeader && Known == KnownParam.None && ValueLength > 0 && IsForwarding == forwarding;
}
