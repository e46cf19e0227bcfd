using System.Buffers.Binary;

namespace FastCgi.Protocol;

/// <summary>The content of FCGI_END_REQUEST (FastCGI 1.0, section 5.5).</summary>
/// <remarks>
/// <code>
///  0         1         2         3         4         5         6         7
/// +---------+---------+---------+---------+---------+---------+---------+---------+
/// | application status (big endian)       | protocol| reserved                    |
/// |                                       | status  |                             |
/// +---------+---------+---------+---------+---------+---------+---------+---------+
/// </code>
/// </remarks>
public readonly struct EndRequestBody
{
    private const int ProtocolStatusOffset = 4;
    private const int ReservedOffset = 5;

    /// <summary>Creates a body with the two kinds of status.</summary>
    public EndRequestBody(uint appStatus, ProtocolStatus protocolStatus)
    {
        AppStatus = appStatus;
        ProtocolStatus = protocolStatus;
    }

    /// <summary>The exit code that a CGI program would return; 0 for success.</summary>
    public uint AppStatus { get; }

    /// <summary>The result at the protocol level: whether the request was served or refused.</summary>
    public ProtocolStatus ProtocolStatus { get; }

    /// <summary>False if <paramref name="content"/> is not exactly eight bytes. Reserved bytes are ignored.</summary>
    public static bool TryRead(ReadOnlySpan<byte> content, out EndRequestBody body)
    {
        if (content.Length != FastCgiConstants.FixedBodySize)
        {
            body = default;
            return false;
        }

        body = new EndRequestBody(
            BinaryPrimitives.ReadUInt32BigEndian(content),
            (ProtocolStatus)content[ProtocolStatusOffset]);
        return true;
    }

    /// <summary>Writes eight bytes to <paramref name="destination"/>, which must be that long.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The destination is shorter; nothing was written.</exception>
    public void Write(Span<byte> destination)
    {
        destination[ReservedOffset..FastCgiConstants.FixedBodySize].Clear();
        BinaryPrimitives.WriteUInt32BigEndian(destination, AppStatus);
        destination[ProtocolStatusOffset] = (byte)ProtocolStatus;
    }
}
