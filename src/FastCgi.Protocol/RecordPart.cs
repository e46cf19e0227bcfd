namespace FastCgi.Protocol;

/// <summary>A record, or the part of one that has arrived, as cut by <see cref="RecordReader"/>.</summary>
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

    /// <summary>True if the header has just arrived: check its type, id and length now.</summary>
    public bool IsFirst { get; }

    /// <summary>True if no more content follows. Padding may follow, which the reader skips.</summary>
    public bool IsLast { get; }

    /// <summary>True if the record is empty, which ends a stream.</summary>
    public bool IsEndOfStream => Header.ContentLength == 0;
}
