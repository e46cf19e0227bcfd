using System.Runtime.Versioning;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.PlainCgi;

// The one request of the program goes to the server as FastCGI records, and the response comes back.
internal sealed partial class PlainCgiServer
{
    private const int RequestId = 1;
    private const int BufferSize = 32 * 1024;

    /// <summary>False if the response broke off.</summary>
    [UnsupportedOSPlatform("windows")]
    private static async Task<bool> ConverseAsync(Stream server, Stream response, Stream errors)
    {
        CgiEnvironment environment = CgiEnvironment.Current;
        await server.WriteAsync(Head(environment)).ConfigureAwait(false);
        using var stop = new CancellationTokenSource();
        Task sending = SendBodyAsync(server, CgiStreams.OpenBody(), environment.BodyLength(), stop.Token);
        try
        {
            return await ReceiveAsync(server, response, errors).ConfigureAwait(false);
        }
        finally
        {
            // A response may come before its request has ended. A read of a descriptor ends when the web server closes
            // it.
            await stop.CancelAsync().ConfigureAwait(false);
            _ = sending;
        }
    }

    private static byte[] Head(CgiEnvironment environment)
    {
        var pairs = new MemoryStream();
        foreach ((byte[] name, byte[] value) in environment.Parameters)
        {
            byte[] pair = new byte[NameValuePairWriter.GetSize(name.Length, value.Length)];
            NameValuePairWriter.TryWrite(pair, name, value, out int written);
            pairs.Write(pair, 0, written);
        }

        var head = new MemoryStream();
        Span<byte> begin = stackalloc byte[RecordWriter.BeginRequestRecordSize];
        RecordWriter.WriteBeginRequest(
            begin, RequestId, new BeginRequestBody(FastCgiRole.Responder, BeginRequestFlags.None));
        head.Write(begin);
        Span<byte> header = stackalloc byte[FastCgiConstants.HeaderSize];
        ReadOnlySpan<byte> rest = pairs.GetBuffer().AsSpan(0, (int)pairs.Length);
        while (!rest.IsEmpty)
        {
            int length = Math.Min(rest.Length, FastCgiConstants.MaxAlignedContentLength);
            RecordWriter.WriteHeader(header, RecordType.Params, RequestId, length);
            head.Write(header);
            head.Write(rest[..length]);
            rest = rest[length..];
        }

        RecordWriter.WriteEndOfStream(header, RecordType.Params, RequestId);
        head.Write(header);
        return head.ToArray();
    }

    /// <summary>
    /// Not a byte beyond the length: the web server may leave the descriptor open (RFC 3875, section 4.2).
    /// </summary>
    private static async Task SendBodyAsync(
        Stream server, FileStream body, long? length, CancellationToken cancellationToken)
    {
        try
        {
            byte[] buffer = new byte[FastCgiConstants.HeaderSize + BufferSize];
            long left = length ?? long.MaxValue;
            while (left > 0)
            {
                int wanted = (int)Math.Min(left, BufferSize);
                int count = await body.ReadAsync(
                    buffer.AsMemory(FastCgiConstants.HeaderSize, wanted), cancellationToken).ConfigureAwait(false);
                if (count == 0)
                {
                    break;
                }

                RecordWriter.WriteHeader(buffer, RecordType.Stdin, RequestId, count);
                await server.WriteAsync(
                    buffer.AsMemory(0, FastCgiConstants.HeaderSize + count), cancellationToken).ConfigureAwait(false);
                left -= count;
            }

            RecordWriter.WriteEndOfStream(buffer, RecordType.Stdin, RequestId);
            await server.WriteAsync(
                buffer.AsMemory(0, FastCgiConstants.HeaderSize), cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (
            exception is IOException or OperationCanceledException or ObjectDisposedException)
        {
            // The server has answered, or the conversation is over.
        }
    }

    private static async Task<bool> ReceiveAsync(Stream server, Stream response, Stream errors)
    {
        var reader = new RecordReader();
        byte[] buffer = new byte[BufferSize];
        while (true)
        {
            int count = await server.ReadAsync(buffer).ConfigureAwait(false);
            if (count == 0)
            {
                return false;
            }

            if (Pass(ref reader, buffer.AsSpan(0, count), response, errors) is { } isWhole)
            {
                return isWhole;
            }
        }
    }

    /// <summary>Null while the response goes on.</summary>
    private static bool? Pass(
        ref RecordReader reader, ReadOnlySpan<byte> received, Stream response, Stream errors)
    {
        while (reader.TryRead(ref received, out RecordPart part))
        {
            switch (part.Header.Type)
            {
                case RecordType.Stdout:
                    response.Write(part.Content);
                    break;
                case RecordType.Stderr:
                    errors.Write(part.Content);
                    break;
                case RecordType.EndRequest when part.IsLast:
                    return true;
            }
        }

        // What the server sends in place of the end of a response that failed is no record.
        return reader.Violation == ProtocolViolation.None ? null : false;
    }
}
