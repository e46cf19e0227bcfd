using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Requests.Head;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>Records of id 0 (FastCGI 1.0, section 4), and the answers that need no request.</summary>
internal sealed partial class FastCgiConnection
{
    private ProtocolViolation RouteManagement(in RecordPart part)
    {
        switch (part.Header.Type)
        {
            case RecordType.GetValues:
                AnswerGetValues(part);
                return ProtocolViolation.None;
            case RecordType.BeginRequest or RecordType.AbortRequest or RecordType.Params or RecordType.Stdin
                or RecordType.Data:
                return ProtocolViolation.NullRequestId;
            case RecordType.EndRequest or RecordType.Stdout or RecordType.Stderr or RecordType.GetValuesResult
                or RecordType.UnknownType:
                return ProtocolViolation.None;
            default:
                AnswerUnknownType(part);
                return ProtocolViolation.None;
        }
    }

    /// <summary>FastCGI 1.0, section 4.1, answered at once whatever else is under way.</summary>
    private void AnswerGetValues(in RecordPart part)
    {
        if (part.IsFirst)
        {
            _getValues = default;
        }

        if (!_getValues.TryRead(part, out ManagementVariables asked))
        {
            return;
        }

        Span<byte> record = stackalloc byte[GetValuesResultBody.MaxRecordSize];
        int perConnection = Server.Limits.MaxConcurrentRequestsPerConnection;
        int connections = (int)Math.Min(Server.Limits.MaxConcurrentConnections ?? MaxAdvertised, MaxAdvertised);
        int requests = (int)Math.Min(Server.Limits.MaxConcurrentRequests ?? MaxAdvertised, MaxAdvertised);
        int length = new GetValuesResultBody(connections, requests, perConnection > 1).Only(asked).WriteRecord(record);
        Output.SendCopy(record[..length]);
    }

    /// <summary>What "no limit" is called where a number must be named.</summary>
    private const int MaxAdvertised = 65535;

    /// <summary>FastCGI 1.0, section 4.2. Only ever an answer: an unsolicited one ends up in somebody's page.</summary>
    private void AnswerUnknownType(in RecordPart part)
    {
        if (part.IsFirst)
        {
            Span<byte> record = stackalloc byte[RecordWriter.UnknownTypeRecordSize];
            RecordWriter.WriteUnknownType(record, part.Header.Type);
            Output.SendCopy(record);
        }
    }

    /// <summary>
    /// Ends a request that never was one. Every web server ignores protocolStatus, so a text says it too; records that
    /// still come for the id find nobody and are ignored.
    /// </summary>
    private void Refuse(ushort requestId, BeginRequestBody begin, CgiRejection reason, ProtocolStatus status)
    {
        LogRefused(Log, Id, requestId, reason.Detail);
        Span<byte> records = stackalloc byte[1024];
        int content = RejectionWriter.Write(records[FastCgiConstants.HeaderSize..^RecordWriter.EndOfResponseSize], reason);
        RecordWriter.WriteHeader(records, RecordType.Stdout, requestId, content);
        int end = FastCgiConstants.HeaderSize + content;
        end += RecordWriter.WriteEndOfResponse(records[end..], requestId, new EndRequestBody(0, status));
        Output.SendCopy(records[..end]);
        if (!begin.KeepConnection)
        {
            IsClosing = true;
            CloseIfIdle();
        }
    }
}
