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
/// <param name="Type">The type of the management record that was not understood.</param>
public readonly record struct UnknownTypeBody(RecordType Type)
{
    private const int ReservedOffset = 1;

    /// <summary>False: <paramref name="content"/> is not exactly eight bytes. Reserved bytes are ignored.</summary>
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
