namespace FastCgi.Client.Connections.Multiplexing;

/// <summary>Cuts received bytes into records, and gives each one to the stream of its request.</summary>
internal sealed class RecordRouter(Func<ushort, MultiplexedStream?> find)
{
    private readonly List<MultiplexedStream> _touched = [];
    private RecordReader _records;

    /// <summary>False if the bytes are no records, so that the connection cannot be used any more.</summary>
    public async ValueTask<bool> RouteAsync(ReadOnlyMemory<byte> received)
    {
        bool isRight = Cut(received.Span);
        foreach (MultiplexedStream stream in _touched)
        {
            await stream.DeliverAsync().ConfigureAwait(false);
        }

        _touched.Clear();
        return isRight;
    }

    private bool Cut(ReadOnlySpan<byte> received)
    {
        while (_records.TryRead(ref received, out RecordPart part))
        {
            RecordHeader header = part.Header;
            if (header is { IsManagement: true, Type: RecordType.GetValuesResult or RecordType.UnknownType })
            {
                continue;
            }

            if (!IsOfResponse(header))
            {
                return false;
            }

            if (find(header.RequestId) is { } stream)
            {
                stream.Append(in part);
                if (_touched is not [.., var last] || last != stream)
                {
                    _touched.Add(stream);
                }
            }
        }

        return _records.Violation == ProtocolViolation.None;
    }

    private static bool IsOfResponse(RecordHeader header) =>
        header.Type is RecordType.Stdout or RecordType.Stderr
        || header is { Type: RecordType.EndRequest, ContentLength: FastCgiConstants.FixedBodySize };
}
