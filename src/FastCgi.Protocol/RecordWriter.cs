using System.Buffers;

namespace FastCgi.Protocol;

/// <summary>
/// Writes records into the caller's memory. Content is not copied: reserve eight bytes, put the content after them, and
/// write the header when its length is known. Every method overwrites all bytes that it writes.
/// </summary>
public static class RecordWriter
{
    /// <summary>The size of a record without content, which ends a stream.</summary>
    public const int EndOfStreamRecordSize = FastCgiConstants.HeaderSize;

    /// <summary>The size of a BEGIN_REQUEST record.</summary>
    public const int BeginRequestRecordSize = FastCgiConstants.HeaderSize + FastCgiConstants.FixedBodySize;

    /// <summary>The size of an END_REQUEST record.</summary>
    public const int EndRequestRecordSize = FastCgiConstants.HeaderSize + FastCgiConstants.FixedBodySize;

    /// <summary>The size of an UNKNOWN_TYPE record.</summary>
    public const int UnknownTypeRecordSize = FastCgiConstants.HeaderSize + FastCgiConstants.FixedBodySize;

    /// <summary>The size of the end of a response: the empty Stdout record and END_REQUEST.</summary>
    public const int EndOfResponseSize = EndOfStreamRecordSize + EndRequestRecordSize;

    /// <summary>
    /// The content of the next record of a stream with <paramref name="remaining"/> bytes: all, or at most
    /// <see cref="FastCgiConstants.MaxAlignedContentLength"/>. Do not write a record for 0, which would end the stream.
    /// </summary>
    public static int ContentFitting(int remaining) => Math.Min(remaining, FastCgiConstants.MaxAlignedContentLength);

    /// <summary>Writes the header of a record into the first eight bytes of <paramref name="reserved"/>.</summary>
    /// <param name="reserved">Eight bytes or more. The content must follow them.</param>
    /// <param name="type">The type of the record.</param>
    /// <param name="requestId">The request's id, 0 for a management record.</param>
    /// <param name="contentLength">Bytes of content, 0 to 65535.</param>
    /// <param name="paddingLength">
    /// The padding that the caller puts after the content, 0 to 255. Default 0, which is best for output: without
    /// buffering, nginx passes on a response head only after the bytes after its record have come.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">A length does not fit its field.</exception>
    public static void WriteHeader(
        Span<byte> reserved, RecordType type, ushort requestId, int contentLength, int paddingLength = 0)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            (uint)contentLength, (uint)FastCgiConstants.MaxContentLength, nameof(contentLength));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            (uint)paddingLength, (uint)FastCgiConstants.MaxPaddingLength, nameof(paddingLength));
        new RecordHeader(type, requestId, (ushort)contentLength, (byte)paddingLength).Write(reserved);
    }

    /// <summary>
    /// Appends content of a stream to <paramref name="output"/>, in as many records as needed; none for no content.
    /// Does not write the end of the stream.
    /// </summary>
    public static void WriteContent(
        IBufferWriter<byte> output, RecordType type, ushort requestId, ReadOnlySpan<byte> content)
    {
        ArgumentNullException.ThrowIfNull(output);
        while (!content.IsEmpty)
        {
            var length = ContentFitting(content.Length);
            var record = output.GetSpan(FastCgiConstants.HeaderSize + length);
            WriteHeader(record, type, requestId, length);
            content[..length].CopyTo(record[FastCgiConstants.HeaderSize..]);
            output.Advance(FastCgiConstants.HeaderSize + length);
            content = content[length..];
        }
    }

    /// <summary>Writes an empty record, which ends the stream <paramref name="type"/>. Returns 8.</summary>
    public static int WriteEndOfStream(Span<byte> destination, RecordType type, ushort requestId)
    {
        new RecordHeader(type, requestId, contentLength: 0).Write(destination);
        return EndOfStreamRecordSize;
    }

    /// <summary>Writes a BEGIN_REQUEST record. Returns 16.</summary>
    public static int WriteBeginRequest(Span<byte> destination, ushort requestId, BeginRequestBody body)
    {
        body.Write(destination[FastCgiConstants.HeaderSize..]);
        WriteHeader(destination, RecordType.BeginRequest, requestId, FastCgiConstants.FixedBodySize);
        return BeginRequestRecordSize;
    }

    /// <summary>Writes an END_REQUEST record. Returns 16.</summary>
    public static int WriteEndRequest(Span<byte> destination, ushort requestId, EndRequestBody body)
    {
        body.Write(destination[FastCgiConstants.HeaderSize..]);
        WriteHeader(destination, RecordType.EndRequest, requestId, FastCgiConstants.FixedBodySize);
        return EndRequestRecordSize;
    }

    /// <summary>Writes the end of a response: the empty Stdout record, then END_REQUEST. Returns 24.</summary>
    public static int WriteEndOfResponse(Span<byte> destination, ushort requestId, EndRequestBody body)
    {
        WriteEndRequest(destination[EndOfStreamRecordSize..], requestId, body);
        WriteEndOfStream(destination, RecordType.Stdout, requestId);
        return EndOfResponseSize;
    }

    /// <summary>
    /// Writes END_REQUEST and then an empty Stdout record, which is too late on purpose: a peer that finds bytes after
    /// END_REQUEST does not reuse the connection. Returns 24.
    /// </summary>
    public static int WriteEndOfLastResponse(Span<byte> destination, ushort requestId, EndRequestBody body)
    {
        WriteEndRequest(destination, requestId, body);
        WriteEndOfStream(destination[EndRequestRecordSize..], RecordType.Stdout, requestId);
        return EndOfResponseSize;
    }

    /// <summary>Appends a GET_VALUES record (FastCGI 1.0, section 4.1) to <paramref name="output"/>.</summary>
    /// <param name="output">The destination of the record.</param>
    /// <param name="asked">The variables to ask for. Without any, no record is written.</param>
    public static void WriteGetValues(IBufferWriter<byte> output, ManagementVariables asked)
    {
        var names = new ArrayBufferWriter<byte>();
        foreach (var variable in ManagementVariableNames.Known)
        {
            if ((asked & variable) != 0)
            {
                NameValuePairWriter.Write(names, ManagementVariableNames.Of(variable), []);
            }
        }

        WriteContent(output, RecordType.GetValues, FastCgiConstants.NullRequestId, names.WrittenSpan);
    }

    /// <summary>Writes an UNKNOWN_TYPE record with id 0. Returns 16.</summary>
    public static int WriteUnknownType(Span<byte> destination, RecordType unknown)
    {
        new UnknownTypeBody(unknown).Write(destination[FastCgiConstants.HeaderSize..]);
        WriteHeader(
            destination, RecordType.UnknownType, FastCgiConstants.NullRequestId, FastCgiConstants.FixedBodySize);
        return UnknownTypeRecordSize;
    }
}
