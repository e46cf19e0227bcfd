namespace FastCgi.Client.Requests;

/// <summary>
/// BEGIN_REQUEST and the Params stream (FastCGI 1.0, sections 5.1 and 5.2). Parameters longer than one record are split
/// only at the end, because hardly any request has so many.
/// </summary>
internal sealed class FastCgiParameterWriter(OutputBuffer output, ushort requestId, BeginRequestBody begin)
    : IParameterWriter
{
    private int _content;

    public void Begin()
    {
        output.Advance(RecordWriter.WriteBeginRequest(
            output.GetSpan(RecordWriter.BeginRequestRecordSize), requestId, begin));
        output.GetSpan(FastCgiConstants.HeaderSize);
        output.Advance(FastCgiConstants.HeaderSize);
        _content = output.Position;
    }

    public void Add(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        int size = checked((int)NameValuePairWriter.GetSize(name.Length, value.Length));
        NameValuePairWriter.TryWrite(output.GetSpan(size), name, value, out int written);
        output.Advance(written);
    }

    public void End()
    {
        int length = output.Position - _content;
        int first = RecordWriter.ContentFitting(length);
        if (length > first)
        {
            SpreadOverRecords(length);
        }

        RecordWriter.WriteHeader(
            output.Bytes[(_content - FastCgiConstants.HeaderSize)..], RecordType.Params, requestId, first);
        output.Advance(RecordWriter.WriteEndOfStream(
            output.GetSpan(RecordWriter.EndOfStreamRecordSize), RecordType.Params, requestId));
    }

    /// <summary>Moves the content apart, the last piece first, and puts a header before all but the first.</summary>
    private void SpreadOverRecords(int length)
    {
        const int Most = FastCgiConstants.MaxAlignedContentLength;
        int further = (length - 1) / Most;
        output.GetSpan(further * FastCgiConstants.HeaderSize);
        output.Advance(further * FastCgiConstants.HeaderSize);
        Span<byte> content = output.Bytes[_content..];
        for (int piece = further; piece > 0; piece--)
        {
            int from = piece * Most;
            int to = from + (piece * FastCgiConstants.HeaderSize);
            int size = Math.Min(Most, length - from);
            content.Slice(from, size).CopyTo(content[to..]);
            RecordWriter.WriteHeader(
                content[(to - FastCgiConstants.HeaderSize)..], RecordType.Params, requestId, size);
        }
    }
}
