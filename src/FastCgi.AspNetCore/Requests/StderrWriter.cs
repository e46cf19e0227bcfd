using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Requests.Slot;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// Sends text to the web server's error log as STDERR records, as long as the response has not ended.
/// </summary>
internal static class StderrWriter
{
    /// <param name="response">The one beside which the text goes.</param>
    /// <param name="records">Of the response.</param>
    /// <param name="connection">Has records, or the text goes nowhere.</param>
    /// <param name="requestId">The request's.</param>
    /// <param name="buffers">For the records.</param>
    /// <param name="text">As the web server is to log it.</param>
    /// <param name="cancellationToken">Ends a wait for the web server.</param>
    public static async ValueTask WriteAsync(
        ApplicationResponse response,
        ResponseRecords records,
        IRequestConnection connection,
        ushort requestId,
        BufferPool buffers,
        ReadOnlyMemory<byte> text,
        CancellationToken cancellationToken)
    {
        if (!connection.HasRecords)
        {
            return;
        }

        while (!text.IsEmpty && response.IsOpen)
        {
            int count = RecordWriter.ContentFitting(text.Length);
            byte[] buffer = buffers.Rent(count + FastCgiConstants.HeaderSize);
            RecordWriter.WriteHeader(buffer, RecordType.Stderr, requestId, count);
            text.Span[..count].CopyTo(buffer.AsSpan(FastCgiConstants.HeaderSize));
            records.SendStderr(response, buffer, count + FastCgiConstants.HeaderSize);
            text = text[count..];
            if (connection.Output.IsFull)
            {
                await response.BodyWriter.WaitForRoomAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }
}
