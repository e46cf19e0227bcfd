using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Requests.Slot;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Sends text to the web server's error log as STDERR records, as long as the response has not ended.
/// </summary>
internal static class StderrWriter
{
    public static async ValueTask WriteAsync(
        ApplicationResponse response, PooledParts parts, ReadOnlyMemory<byte> text, CancellationToken cancellationToken)
    {
        (IRequestSlot slot, ISendQueue queue) = (parts.Slot, parts.Slot.Output);
        if (!slot.HasRecords)
        {
            return;
        }

        while (!text.IsEmpty && response.IsOpen)
        {
            int count = RecordWriter.ContentFitting(text.Length);
            byte[] buffer = parts.Server.Buffers.Rent(count + FastCgiConstants.HeaderSize);
            RecordWriter.WriteHeader(buffer, RecordType.Stderr, slot.RequestId, count);
            text.Span[..count].CopyTo(buffer.AsSpan(FastCgiConstants.HeaderSize));
            if (queue.Send(buffer, 0, count + FastCgiConstants.HeaderSize, isAnswer: false) != SendOutcome.Queued)
            {
                parts.Server.Buffers.Return(buffer);
            }

            text = text[count..];
            if (queue.IsFull)
            {
                await response.BodyWriter.WaitForOutputAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }
}
