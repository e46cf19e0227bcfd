using System.Buffers.Binary;

namespace FastCgi.Protocol;

/// <summary>The header of a record (FastCGI 1.0, section 3.3).</summary>
/// <remarks>
/// <code>
///  0         1         2         3         4         5         6         7
/// +---------+---------+---------+---------+---------+---------+---------+---------+
/// | version | type    | request id        | content length    | padding | reserved|
/// |  = 1    |         |    (big endian)   |    (big endian)   | length  |         |
/// +---------+---------+---------+---------+---------+---------+---------+---------+
/// | content (0 to 65535), then padding (0 to 255) ...                             |
/// </code>
/// </remarks>
public readonly struct RecordHeader
{
    private const int VersionOffset = 0;
    private const int TypeOffset = 1;
    private const int RequestIdOffset = 2;
    private const int ContentLengthOffset = 4;
    private const int PaddingLengthOffset = 6;
    private const int ReservedOffset = 7;

    /// <summary>Creates a header of version 1.</summary>
    public RecordHeader(RecordType type, ushort requestId, ushort contentLength, byte paddingLength = 0)
        : this(FastCgiConstants.Version, type, requestId, contentLength, paddingLength)
    {
    }

    private RecordHeader(byte version, RecordType type, ushort requestId, ushort contentLength, byte paddingLength)
    {
        Version = version;
        Type = type;
        RequestId = requestId;
        ContentLength = contentLength;
        PaddingLength = paddingLength;
    }

    /// <summary>1 in every valid header. Other values are read, so that they can be reported.</summary>
    public byte Version { get; }

    /// <summary>The type as sent, even if it is not one of <see cref="RecordType"/>.</summary>
    public RecordType Type { get; }

    /// <summary>The id of the record's request; 0 for management records.</summary>
    public ushort RequestId { get; }

    /// <summary>The length of the content in bytes. 0 ends a stream.</summary>
    public ushort ContentLength { get; }

    /// <summary>The length of the padding after the content, which has no meaning.</summary>
    public byte PaddingLength { get; }

    /// <summary>True if the record belongs to the connection, not to a request.</summary>
    public bool IsManagement => RequestId == FastCgiConstants.NullRequestId;

    /// <summary>The size of header, content and padding in bytes.</summary>
    public int RecordSize => FastCgiConstants.HeaderSize + ContentLength + PaddingLength;

    /// <summary>
    /// Reads the first eight bytes of <paramref name="source"/>, with any version. The reserved byte is ignored. False
    /// if there are fewer bytes.
    /// </summary>
    public static bool TryRead(ReadOnlySpan<byte> source, out RecordHeader header)
    {
        if (source.Length < FastCgiConstants.HeaderSize)
        {
            header = default;
            return false;
        }

        header = new RecordHeader(
            source[VersionOffset],
            (RecordType)source[TypeOffset],
            BinaryPrimitives.ReadUInt16BigEndian(source[RequestIdOffset..]),
            BinaryPrimitives.ReadUInt16BigEndian(source[ContentLengthOffset..]),
            source[PaddingLengthOffset]);
        return true;
    }

    /// <summary>Writes eight bytes to <paramref name="destination"/>, which must be that long.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The destination is shorter; nothing was written.</exception>
    public void Write(Span<byte> destination)
    {
        destination = destination[..FastCgiConstants.HeaderSize];
        destination[ReservedOffset] = 0;
        destination[VersionOffset] = Version;
        destination[TypeOffset] = (byte)Type;
        BinaryPrimitives.WriteUInt16BigEndian(destination[RequestIdOffset..], RequestId);
        BinaryPrimitives.WriteUInt16BigEndian(destination[ContentLengthOffset..], ContentLength);
        destination[PaddingLengthOffset] = PaddingLength;
    }

    /// <summary>Type, id and lengths, for logs.</summary>
    public override string ToString() =>
        $"{Type} id={RequestId} content={ContentLength} padding={PaddingLength} version={Version}";
}
