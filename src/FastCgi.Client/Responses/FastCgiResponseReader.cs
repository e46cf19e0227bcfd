namespace FastCgi.Client.Responses;

/// <summary>
/// Reads the records of one response (FastCGI 1.0, sections 5.3 and 5.5): Stdout is the response, Stderr goes to a
/// callback, END_REQUEST is the end.
/// </summary>
internal sealed class FastCgiResponseReader(
    string endpoint, ushort requestId, Action<ReadOnlyMemory<byte>>? standardError) : ResponseReader
{
    private RecordReader _records;
    private FixedBodyReader _endOfRequest;
    private bool _inStdout;
    private bool _any;
    private bool _hasExcess;

    public override bool EndsWithConnection => false;

    public override bool IsAtBoundary => IsEnded && !_hasExcess && _records.IsBetweenRecords;

    public override bool TryRead(ref ReadOnlyMemory<byte> received, out ReadOnlyMemory<byte> content)
    {
        content = default;
        ReadOnlySpan<byte> span = received.Span;
        while (!IsEnded && _records.TryRead(ref span, out RecordPart part))
        {
            _any = true;
            int taken = received.Length - span.Length;
            ReadOnlyMemory<byte> bytes = received[(taken - part.Content.Length)..taken];
            received = received[taken..];
            Take(in part, bytes);
            if (_inStdout && !bytes.IsEmpty)
            {
                content = bytes;
                return true;
            }
        }

        if (IsEnded)
        {
            // Skips the padding of END_REQUEST.
            _hasExcess |= _records.TryRead(ref span, out _) || !span.IsEmpty;
        }
        else if (_records.Violation != ProtocolViolation.None)
        {
            throw NotFastCgi(span);
        }

        received = received[^span.Length..];
        return false;
    }

    private void Take(in RecordPart part, ReadOnlyMemory<byte> content)
    {
        RecordHeader header = part.Header;
        _inStdout = false;
        if (header is { IsManagement: true, Type: RecordType.GetValuesResult or RecordType.UnknownType })
        {
            return;
        }

        if (header.IsManagement)
        {
            throw Wrong($"a record of type {header.Type} for no request (id 0)");
        }

        if (header.RequestId != requestId)
        {
            throw Wrong($"a record for request {header.RequestId}, and only request {requestId} is under way");
        }

        HasBegun = true;
        switch (header.Type)
        {
            case RecordType.Stdout:
                _inStdout = true;
                break;
            case RecordType.Stderr:
                if (!content.IsEmpty)
                {
                    standardError?.Invoke(content);
                }

                break;
            case RecordType.EndRequest:
                TakeEnd(in part);
                break;
            default:
                throw Wrong($"a record of type {header.Type}, which is for the application only");
        }
    }

    private void TakeEnd(in RecordPart part)
    {
        Span<byte> bytes = stackalloc byte[FastCgiConstants.FixedBodySize];
        if (_endOfRequest.TryRead(in part, bytes))
        {
            EndRequestBody.TryRead(bytes, out EndRequestBody body);
            IsEnded = true;
            ThrowIfRefused(body.ProtocolStatus);
        }
        else if (_endOfRequest.Violation != ProtocolViolation.None)
        {
            throw Wrong($"END_REQUEST with {part.Header.ContentLength} bytes of content instead of 8");
        }
    }

    private void ThrowIfRefused(ProtocolStatus status)
    {
        if (status != ProtocolStatus.RequestComplete)
        {
            throw status switch
            {
                ProtocolStatus.Overloaded => new FastCgiException(
                    FastCgiError.Overloaded,
                    $"{endpoint} refused the request: FCGI_OVERLOADED, it is out of some resource. Send fewer " +
                    "requests at a time (MaxConnections), or give the application more."),
                ProtocolStatus.UnknownRole => new FastCgiException(
                    FastCgiError.UnknownRole,
                    $"{endpoint} refused the request: FCGI_UNKNOWN_ROLE. Most applications are responders; change " +
                    "FastCgiRequestOptions.Role."),
                ProtocolStatus.CannotMultiplexConnection => new FastCgiException(
                    FastCgiError.CannotMultiplex,
                    $"{endpoint} refused the request: FCGI_CANT_MPX_CONN, it serves one request at a time on a " +
                    "connection. Set MultiplexRequests to false."),
                _ => Wrong($"END_REQUEST with the unknown protocol status {(byte)status}"),
            };
        }
    }

    private FastCgiException NotFastCgi(ReadOnlySpan<byte> bytes)
    {
        if (!_any && bytes.StartsWith("HTTP"u8[..Math.Min(4, bytes.Length)]))
        {
            return new FastCgiException(
                FastCgiError.PeerSpeaksHttp,
                $"{endpoint} answers in HTTP, not in FastCGI. Use an HttpClient without FastCgiHandler, or name the " +
                "endpoint where the application speaks FastCGI.");
        }

        return !_any
            ? Wrong($"the byte {bytes[0]} where version 1 of a record should be; maybe the application speaks SCGI " +
                "(write scgi:// in front of the endpoint) or another protocol")
            : Wrong($"the byte {bytes[0]} where version 1 of a record should be: it gave the response up");
    }

    private FastCgiException Wrong(string what) => new(
        FastCgiError.ProtocolViolation, $"{endpoint} broke the FastCGI protocol: it sent {what}.");
}
