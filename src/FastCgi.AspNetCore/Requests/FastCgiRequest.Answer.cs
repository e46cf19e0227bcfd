using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Requests;

/// <content>
/// Answers to a request that the application never sees: a page of the server, or a rejection with its log entry.
/// </content>
internal sealed partial class FastCgiRequest
{
    /// <summary>Answers a request that the application never saw.</summary>
    public void EndRejected()
    {
        Body.Drop();
        StopRunning();

        // An endpoint without an application has no page for an authorizer.
        if (Head.Rejection is null && Head.Page is { } page)
        {
            SendPage(page(Head.Cgi.QueryString));
        }
        else
        {
            SendRejection(Head.Rejection ?? CgiRejection.UnknownRole);
        }
    }

    private void SendRejection(CgiRejection rejection)
    {
        NoteRejection(rejection);
        TellOfRejection(rejection);
        byte[] head = Server.Buffers.Rent(RecordBlock.FirstSize);
        int size = rejection.Write(RecordBlock.RoomForHead(head), Head.Cgi.IsHead);
        Records.CommitHead(owner: null, head, size);
        EndOnWire(rejection.StatusCode == StatusCodes.Status503ServiceUnavailable
            ? ProtocolStatus.Overloaded
            : ProtocolStatus.RequestComplete);
    }

    private void SendPage(ServerAnswer answer)
    {
        byte[] head = Server.Buffers.Rent(RecordBlock.FirstSize);
        int length = Encoding.ASCII.GetBytes(answer.Head, RecordBlock.RoomForHead(head));
        Records.CommitHead(owner: null, head, length);
        if (!HttpMethods.IsHead(Head.Cgi.Method))
        {
            Records.Own(Records);
            for (ReadOnlySpan<byte> body = answer.Body; !body.IsEmpty;)
            {
                body = body[Records.Append(Records, body)..];
            }
        }

        EndOnWire(ProtocolStatus.RequestComplete);
    }

    /// <summary>Tells monitors about a rejection that is the client's fault, as about a bad request body.</summary>
    private void TellOfRejection(CgiRejection rejection)
    {
        if (rejection.StatusCode is >= 400 and < 500
            && rejection != CgiRejection.NativeGrpc
            && Server.DiagnosticListener?.IsEnabled(BadRequestEvent) == true)
        {
            var features = new FeatureCollection(1);
            features.Set<IBadRequestExceptionFeature>(new BadHead(new BadHttpRequestException(
                Head.Cgi.DescribeRejection(rejection), rejection.StatusCode)));
            TellOfBadRequest(features);
        }
    }

    /// <summary>Logs a rejection. The application never sees the request.</summary>
    private void NoteRejection(CgiRejection rejection)
    {
        if (rejection == CgiRejection.EncodingSelectorFailed)
        {
            return;
        }

        if (rejection.StatusCode == StatusCodes.Status500InternalServerError
            && Server.TryWarnOnce(ServerWarning.ParamsMissing))
        {
            RequestLog.ParamsMissing(Server.RequestLog, rejection.Detail);
        }
        else if (rejection == CgiRejection.NativeGrpc && Server.TryWarnOnce(ServerWarning.NativeGrpc))
        {
            RequestLog.NativeGrpcRefused(
                Server.RequestLog, Connection.Id, RequestId, Head.Cgi.DescribeTarget());
        }
        else
        {
            RequestLog.RequestRejected(
                Server.BadRequestLog,
                Connection.Id,
                RequestId,
                Head.Cgi.DescribeRejection(rejection));
        }
    }

    private sealed record BadHead(Exception Error) : IBadRequestExceptionFeature;
}
