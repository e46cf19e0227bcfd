using FastCgi.AspNetCore.Cgi;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections.Wire;

/// <summary>FastCGI: records in, records out.</summary>
internal sealed class FastCgiWire(FastCgiServerLimits limits) : IWireProtocol
{
    // Written by the holder of the reading role, under the gate.
    private RecordReader _records;
    private FixedBodyReader _begin;
    private Management? _management;
    private ProtocolViolation _violation;

    public string Name => "FastCGI";

    public bool HasRecords => true;

    public bool IsBetweenRecords => _records.IsBetweenRecords;

    public ProtocolViolation Violation => _violation != ProtocolViolation.None ? _violation : _records.Violation;

    /// <summary>
    /// Eight zero bytes, a record of version 0. Every web server takes this for a broken response, so none serves or
    /// caches half a page as a whole one.
    /// </summary>
    public ReadOnlySpan<byte> Break => [0, 0, 0, 0, 0, 0, 0, 0];

    public bool TryRead(scoped ref ReadOnlySpan<byte> received, out WireVerdict verdict)
    {
        while (_violation == ProtocolViolation.None && _records.TryRead(ref received, out RecordPart part))
        {
            if (TryJudge(part, out verdict))
            {
                return true;
            }
        }

        verdict = default;
        return false;
    }

    public ForeignProtocolAdvice? Recognise(ReadOnlySpan<byte> firstBytes) =>
        ForeignProtocolAdvice.AtFastCgi(firstBytes);

    public int WriteEnd(Span<byte> destination, ushort requestId, ResponseEnd end, ProtocolStatus status)
    {
        var body = new EndRequestBody(0, status);
        switch (end)
        {
            case ResponseEnd.Stdout:
                return RecordWriter.WriteEndOfStream(destination, RecordType.Stdout, requestId);
            case ResponseEnd.Request:
                return RecordWriter.WriteEndOfResponse(destination, requestId, body);
            case ResponseEnd.RequestAndConnection:
                return RecordWriter.WriteEndOfLastResponse(destination, requestId, body);
            case ResponseEnd.RequestAlone:
                RecordWriter.WriteEndRequest(destination, requestId, body);
                return RecordWriter.EndRequestRecordSize;
            case ResponseEnd.ConnectionAlone:
                // The end of STDERR. nginx closes an unused connection when any bytes arrive. Before a response it
                // skips an empty STDERR record; an empty STDOUT record would end that response.
                return RecordWriter.WriteEndOfStream(destination, RecordType.Stderr, requestId);
            default:
                return 0;
        }
    }

    /// <summary>
    /// Writes the refusal as a text too, because every web server ignores protocolStatus. Later records for the id
    /// match no request and are ignored.
    /// </summary>
    public int WriteRefusal(
        Span<byte> destination, ushort requestId, CgiRejection reason, ProtocolStatus status, bool isHead)
    {
        int content = reason.Write(
            destination[FastCgiConstants.HeaderSize..^RecordWriter.EndOfResponseSize], isHead);
        RecordWriter.WriteHeader(destination, RecordType.Stdout, requestId, content);
        int end = FastCgiConstants.HeaderSize + content;
        return end + RecordWriter.WriteEndOfResponse(destination[end..], requestId, new EndRequestBody(0, status));
    }

    /// <summary>False if the record leads to no verdict, or not yet.</summary>
    private bool TryJudge(scoped in RecordPart part, out WireVerdict verdict)
    {
        verdict = default;
        if (part.Header.IsManagement)
        {
            return TryManage(part, out verdict);
        }

        switch (part.Header.Type)
        {
            case RecordType.BeginRequest:
                return TryBegin(part, out verdict);
            case RecordType.Params:
                verdict = new WireVerdict(
                    part.IsEndOfStream ? WireEvent.ParamsEnd : WireEvent.Params, part.Header.RequestId, part.Content);
                return true;
            case RecordType.Stdin:
                verdict = new WireVerdict(
                    part.IsEndOfStream ? WireEvent.StdinEnd : WireEvent.Stdin, part.Header.RequestId, part.Content);
                return true;
            case RecordType.AbortRequest:
                verdict = new WireVerdict(WireEvent.Abort, part.Header.RequestId, default);
                return part.IsLast;
            case RecordType.Data or RecordType.EndRequest or RecordType.Stdout or RecordType.Stderr
                or RecordType.GetValues or RecordType.GetValuesResult:
                // DATA belongs to filters, GET_VALUES to id 0. Only an application sends the others.
                return false;
            default:
                return TryManage(part, out verdict);
        }
    }

    /// <summary>FastCGI 1.0, section 5.1.</summary>
    private bool TryBegin(scoped in RecordPart part, out WireVerdict verdict)
    {
        verdict = default;
        if (part.IsFirst)
        {
            _begin = default;
        }

        Span<byte> bytes = stackalloc byte[FastCgiConstants.FixedBodySize];
        if (!_begin.TryRead(part, bytes))
        {
            _violation = _begin.Violation;
            return false;
        }

        BeginRequestBody.TryRead(bytes, out BeginRequestBody body);
        verdict = new WireVerdict(WireEvent.Begin, part.Header.RequestId, default) { Begin = body };
        return true;
    }

    private bool TryManage(scoped in RecordPart part, out WireVerdict verdict)
    {
        _management ??= new Management(limits);
        ReadOnlySpan<byte> answer = _management.Answer(part, out _violation);
        verdict = new WireVerdict(WireEvent.Answer, part.Header.RequestId, answer)
        {
            AsksForMultiplexing = _management.HasMultiplexingQuestion,
        };
        return !answer.IsEmpty;
    }
}

/// <summary>Management records (FastCGI 1.0, section 4) and unknown types. Answered even during a request.</summary>
internal sealed class Management(FastCgiServerLimits limits)
{
    /// <summary>The number that represents "no limit".</summary>
    private const int MaxAdvertised = 65535;

    private readonly byte[] _answer =
        new byte[Math.Max(GetValuesResultBody.MaxRecordSize, RecordWriter.UnknownTypeRecordSize)];

    private GetValuesReader _getValues;

    /// <summary>True if the peer has asked for FCGI_MPXS_CONNS on this connection.</summary>
    public bool HasMultiplexingQuestion { get; private set; }

    /// <summary>The answer to a record, or empty. Valid until the next call.</summary>
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

    /// <summary>FastCGI 1.0, section 4.2. Only an answer: unsolicited records end up in a page.</summary>
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
