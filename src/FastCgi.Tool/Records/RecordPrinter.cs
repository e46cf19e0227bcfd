namespace FastCgi.Tool.Records;

/// <summary>Prints the records of one direction, with the params, heads and endings in them.</summary>
internal sealed class RecordPrinter(char mark, TextWriter output)
{
    private const int LongestText = 2000;

    private readonly Dictionary<int, List<byte>> _params = [];
    private readonly HashSet<int> _started = [];
    private readonly List<byte> _content = [];
    private RecordReader _reader;

    public void Print(ReadOnlySpan<byte> bytes)
    {
        while (_reader.TryRead(ref bytes, out RecordPart part))
        {
            _content.AddRange(part.Content);
            if (part.IsLast)
            {
                PrintRecord(part.Header, [.. _content]);
                _content.Clear();
            }
        }

        if (_reader.Violation != ProtocolViolation.None && !bytes.IsEmpty)
        {
            output.WriteLine($"{mark} no FastCGI record: {Printable(bytes)}");
        }
    }

    /// <summary>Text with control characters made visible, shortened if it is long.</summary>
    public static string Printable(ReadOnlySpan<byte> bytes)
    {
        var text = new StringBuilder();
        foreach (char c in Encoding.UTF8.GetString(bytes[..Math.Min(bytes.Length, LongestText)]))
        {
            _ = c switch
            {
                '\r' => text.Append("\\r"),
                '\n' => text.Append("\\n"),
                '\t' => text.Append("\\t"),
                _ when char.IsControl(c) => text.Append(CultureInfo.InvariantCulture, $"\\x{(int)c:x2}"),
                _ => text.Append(c),
            };
        }

        return bytes.Length > LongestText ? $"{text}... ({bytes.Length} bytes)" : text.ToString();
    }

    private void PrintRecord(RecordHeader header, byte[] content)
    {
        string name = NameOf(header.Type);
        string id = header.IsManagement ? "" : $" id {header.RequestId}";
        string padding = header.PaddingLength > 0 ? $" + {header.PaddingLength} padding" : "";
        string detail = Detail(header.Type, content);
        output.WriteLine($"{mark} {name}{id}, {content.Length} bytes{padding}{detail}");
        switch (header.Type)
        {
            case RecordType.Params:
                CollectParams(header.RequestId, content);
                break;
            case RecordType.GetValues or RecordType.GetValuesResult:
                PrintPairs(content);
                break;
            case RecordType.Stderr when content.Length > 0:
                output.WriteLine($"{mark}   {Printable(content)}");
                break;
            case RecordType.Stdout when content.Length > 0 && _started.Add(header.RequestId):
                PrintHead(content);
                break;
            case RecordType.EndRequest:
                _started.Remove(header.RequestId);
                break;
        }
    }

    private static string Detail(RecordType type, byte[] content) => type switch
    {
        RecordType.BeginRequest when BeginRequestBody.TryRead(content, out BeginRequestBody body) =>
            $": {body.Role.ToString().ToLowerInvariant()}, {(body.KeepConnection ? "keeps" : "closes")} the connection",
        RecordType.EndRequest when EndRequestBody.TryRead(content, out EndRequestBody body) =>
            $": {body.ProtocolStatus}, application status {body.AppStatus}",
        RecordType.UnknownType when UnknownTypeBody.TryRead(content, out UnknownTypeBody body) =>
            $": type {(int)body.Type}",
        RecordType.Params or RecordType.Stdin or RecordType.Stdout or RecordType.Stderr or RecordType.Data
            when content.Length == 0 => ": end of the stream",
        _ => "",
    };

    private void CollectParams(int id, byte[] content)
    {
        if (!_params.TryGetValue(id, out List<byte>? collected))
        {
            _params[id] = collected = [];
        }

        collected.AddRange(content);
        if (content.Length == 0)
        {
            PrintPairs([.. collected]);
            _params.Remove(id);
        }
    }

    private void PrintPairs(byte[] content)
    {
        var pairs = new NameValuePairReader(content);
        while (pairs.TryRead(out NameValuePair pair))
        {
            output.WriteLine($"{mark}   {Printable(pair.NameIn(content))}={Printable(pair.ValueIn(content))}");
        }

        if (pairs.IsTruncated)
        {
            output.WriteLine($"{mark}   a truncated pair ends the content");
        }
    }

    /// <summary>Prints the lines of a response head, but only the length of a body.</summary>
    private void PrintHead(byte[] content)
    {
        int end = content.AsSpan().IndexOf("\r\n\r\n"u8);
        if (end < 0)
        {
            return;
        }

        foreach (string line in Encoding.UTF8.GetString(content, 0, end).Split("\r\n"))
        {
            output.WriteLine($"{mark}   {Printable(Encoding.UTF8.GetBytes(line))}");
        }

        output.WriteLine($"{mark}   ({content.Length - end - 4} bytes of the body)");
    }

    /// <summary>The name in the specification (FastCGI 1.0, section 8).</summary>
    private static string NameOf(RecordType type) => type switch
    {
        RecordType.BeginRequest => "BEGIN_REQUEST",
        RecordType.AbortRequest => "ABORT_REQUEST",
        RecordType.EndRequest => "END_REQUEST",
        RecordType.GetValues => "GET_VALUES",
        RecordType.GetValuesResult => "GET_VALUES_RESULT",
        RecordType.UnknownType => "UNKNOWN_TYPE",
        RecordType.Params or RecordType.Stdin or RecordType.Stdout or RecordType.Stderr or RecordType.Data =>
            type.ToString().ToUpperInvariant(),
        _ => $"type {(int)type}",
    };
}
