namespace FastCgi.Protocol;

/// <summary>A record, or as much of one as has arrived, cut by <see cref="RecordReader"/>.</summary>
public readonly ref struct RecordPart
{
    internal RecordPart(RecordHeader header, ReadOnlySpan<byte> content, bool isFirst, bool isLast)
    {
        Header = header;
        Content = content;
        IsFirst = isFirst;
        IsLast = isLast;
    }

    /// <summary>The header of the whole record; the same in each of its parts.</summary>
    public RecordHeader Header { get; }

    /// <summary>The next bytes of the content, in the receive buffer; may be empty in the first part.</summary>
    public ReadOnlySpan<byte> Content { get; }

    /// <summary>The header has just arrived: the moment to judge its type, id and length.</summary>
    public bool IsFirst { get; }

    /// <summary>No content follows. Padding may, and the reader skips it.</summary>
    public bool IsLast { get; }

    /// <summary>The record is empty, which ends a stream.</summary>
    public bool IsEndOfStream => Header.ContentLength == 0;
}
