using System.Buffers;

namespace FastCgi.Client.Connections.Multiplexing;

/// <summary>Asks an application for its capabilities (FCGI_GET_VALUES, FastCGI 1.0, section 4.1).</summary>
internal static class ApplicationValues
{
    private const int MaxResultSize = 4096;

    /// <summary>
    /// The answer; empty if it had another form or was too long. Null if the application closed the connection.
    /// </summary>
    public static async ValueTask<GetValuesResultBody?> AskAsync(Stream stream, CancellationToken cancellationToken)
    {
        try
        {
            var question = new ArrayBufferWriter<byte>();
            RecordWriter.WriteGetValues(
                question, ManagementVariables.MultiplexConnections | ManagementVariables.MaxRequests);
            await stream.WriteAsync(question.WrittenMemory, cancellationToken).ConfigureAwait(false);
            return await ReadAsync(stream, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException)
        {
            return null;
        }
    }

    private static async ValueTask<GetValuesResultBody?> ReadAsync(Stream stream, CancellationToken cancellationToken)
    {
        byte[] buffer = new byte[MaxResultSize];
        int received = 0;
        while (received < buffer.Length)
        {
            int count = await stream.ReadAsync(buffer.AsMemory(received), cancellationToken).ConfigureAwait(false);
            if (count == 0)
            {
                return null;
            }

            received += count;
            if (RecordHeader.TryRead(buffer.AsSpan(0, received), out RecordHeader header)
                && (header.Type != RecordType.GetValuesResult || header.RecordSize <= received))
            {
                bool isResult = header.Type == RecordType.GetValuesResult;
                GetValuesResultBody result = default;
                _ = isResult && GetValuesResultBody.TryRead(
                    buffer.AsSpan(FastCgiConstants.HeaderSize, header.ContentLength), out result);
                return result;
            }
        }

        return default(GetValuesResultBody);
    }
}
