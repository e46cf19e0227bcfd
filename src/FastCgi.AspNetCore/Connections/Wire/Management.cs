using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections.Wire;

/// <summary>
/// Records of id 0 (FastCGI 1.0, section 4), and types that nobody knows. Answered at once, mid-request too.
/// </summary>
internal sealed class Management(FastCgiServerLimits limits)
{
    /// <summary>The number that stands for "no limit".</summary>
    private const int MaxAdvertised = 65535;

    private readonly byte[] _answer =
        new byte[Math.Max(GetValuesResultBody.MaxRecordSize, RecordWriter.UnknownTypeRecordSize)];

    private GetValuesReader _getValues;

    /// <summary>The peer has asked for FCGI_MPXS_CONNS on this connection.</summary>
    public bool HasMultiplexingQuestion { get; private set; }

    /// <summary>The answer to a record, when there is one; valid until the next call.</summary>
    public ReadOnlySpan<byte> Answer(scoped in RecordPart part, out ProtocolViolation violation)
    {
        violation = ProtocolViolation.None;
        if (!part.Header.IsManagement)
        {
            return AnswerUnknownType(part);
        }

        switch (part.Header.Type)
        {
            case RecordType.GetValues:
                return AnswerGetValues(part);
            case RecordType.BeginRequest or RecordType.AbortRequest or RecordType.Params or RecordType.Stdin
                or RecordType.Data:
                violation = ProtocolViolation.NullRequestId;
                return default;
            case RecordType.EndRequest or RecordType.Stdout or RecordType.Stderr or RecordType.GetValuesResult
                or RecordType.UnknownType:
                return default;
            default:
                return AnswerUnknownType(part);
        }
    }

    /// <summary>FastCGI 1.0, section 4.1.</summary>
    private ReadOnlySpan<byte> AnswerGetValues(scoped in RecordPart part)
    {
        if (part.IsFirst)
        {
            _getValues = default;
        }

        if (!_getValues.TryRead(part, out ManagementVariables asked))
        {
            return default;
        }

        HasMultiplexingQuestion |= asked.HasFlag(ManagementVariables.MultiplexConnections);
        int perConnection = limits.MaxConcurrentRequestsPerConnection;
        int connections = (int)Math.Min(limits.MaxConcurrentConnections ?? MaxAdvertised, MaxAdvertised);
        int requests = (int)Math.Min(limits.MaxConcurrentRequests ?? MaxAdvertised, MaxAdvertised);
        var values = new GetValuesResultBody(connections, requests, perConnection > 1);
        return _answer.AsSpan(0, values.Only(asked).WriteRecord(_answer));
    }

    /// <summary>FastCGI 1.0, section 4.2. Only ever an answer: an unsolicited one ends up in a page.</summary>
    private ReadOnlySpan<byte> AnswerUnknownType(scoped in RecordPart part)
    {
        if (!part.IsFirst)
        {
            return default;
        }

        RecordWriter.WriteUnknownType(_answer, part.Header.Type);
        return _answer.AsSpan(0, RecordWriter.UnknownTypeRecordSize);
    }
}
