using System.Text;
using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Requests.Head;
using FastCgi.AspNetCore.Requests.Response;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests;

/// <summary>Answers a request that the application never sees: by a page of the server, or by a rejection.</summary>
internal static class OwnAnswer
{
    public static void Send(PooledParts parts)
    {
        // An endpoint without an application has nothing to say to an authorizer.
        CgiRejection? rejection = parts.Head.Rejection ?? (parts.Head.Page is null ? CgiRejection.UnknownRole : null);
        if (rejection is not null)
        {
            RequestNotices.OnRejected(parts, rejection);
            byte[] head = parts.Server.Buffers.Rent(RecordBlock.FirstSize);
            int size = RejectionWriter.Write(RecordBlock.RoomForHead(head), rejection, parts.Head.Cgi.IsHead);
            parts.Records.CommitHead(owner: null, head, size);
            parts.Records.EndThrough(parts.Slot, rejection.StatusCode == StatusCodes.Status503ServiceUnavailable
                ? ProtocolStatus.Overloaded
                : ProtocolStatus.RequestComplete);
            return;
        }

        CgiRequest request = parts.Head.Cgi;
        ServerAnswer answer = parts.Head.Page!.Answer(request.QueryString);
        byte[] pageHead = parts.Server.Buffers.Rent(RecordBlock.FirstSize);
        int length = Encoding.ASCII.GetBytes(answer.Head, RecordBlock.RoomForHead(pageHead));
        parts.Records.CommitHead(owner: null, pageHead, length);
        if (!HttpMethods.IsHead(request.Method))
        {
            Write(parts.Records, answer.Body);
        }

        parts.Records.EndThrough(parts.Slot, ProtocolStatus.RequestComplete);
    }

    private static void Write(ResponseRecords records, ReadOnlySpan<byte> body)
    {
        records.Own(records);
        while (!body.IsEmpty)
        {
            body = body[records.Append(records, body)..];
        }
    }
}
