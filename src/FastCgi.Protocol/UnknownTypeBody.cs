namespace FastCgi.Protocol;

/// <summary>The content of FCGI_UNKNOWN_TYPE (FastCGI 1.0, section 4.2).</summary>
/// <remarks>
/// <code>
///  0         1         2         3         4         5         6         7
/// +---------+---------+---------+---------+---------+---------+---------+---------+
/// | type    | reserved                                                            |
/// +---------+---------+---------+---------+---------+---------+---------+---------+
/// </code>
/// </remarks>
public readonly struct UnknownTypeBody
{
    private const int ReservedOffset = 1;

    /// <summary>Creates a body that names a type.</summary>
    public UnknownTypeBody(RecordType type) => Type = type;

    /// <summary>The unknown type of the management record.</summary>
    public RecordType Type { get; }

    /// <summary>False if <paramref name="content"/> is not exactly eight bytes. Reserved bytes are ignored.</summary>
    public static bool TryRead(ReadOnlySpan<byte> content, out UnknownTypeBody body)
    {
        if (content.Length != FastCgiConstants.FixedBodySize)
        {
            body = default;
            return false;
        }

        body = new UnknownTypeBody((RecordType)content[0]);
        return true;
    }

    /// <summary>Writes eight bytes to <paramref name="destination"/>, which must be that long.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The destination is shorter; nothing was written.</exception>
    public void Write(Span<byte> destination)
    {
        destination[ReservedOffset..FastCgiConstants.FixedBodySize].Clear();
        destination[0] = (byte)Type;
    }
}
