namespace FastCgi.Protocol;

/// <summary>The numbers of the protocol (FastCGI 1.0, sections 3.3 and 8). All lengths are in bytes.</summary>
public static class FastCgiConstants
{
    /// <summary>FCGI_VERSION_1, the first byte of every record.</summary>
    public const byte Version = 1;

    /// <summary>The length of a record's header.</summary>
    public const int HeaderSize = 8;

    /// <summary>The length of the body of BEGIN_REQUEST, END_REQUEST and UNKNOWN_TYPE.</summary>
    public const int FixedBodySize = 8;

    /// <summary>The maximum content of one record.</summary>
    public const int MaxContentLength = 65535;

    /// <summary>
    /// The recommended maximum content of one record of a long stream: the largest multiple of eight, which is aligned
    /// without padding, and which every web server accepts.
    /// </summary>
    public const int MaxAlignedContentLength = 65528;

    /// <summary>The maximum padding after the content of one record.</summary>
    public const int MaxPaddingLength = 255;

    /// <summary>The longest record: header, content and padding.</summary>
    public const int MaxRecordSize = HeaderSize + MaxContentLength + MaxPaddingLength;

    /// <summary>FCGI_NULL_REQUEST_ID, the id of management records.</summary>
    public const ushort NullRequestId = 0;

    /// <summary>The highest id of a request.</summary>
    public const ushort MaxRequestId = 65535;
}
