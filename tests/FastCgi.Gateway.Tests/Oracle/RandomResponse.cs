namespace FastCgi.Gateway.Tests.Oracle;

/// <summary>What a FastCGI application sends for one request, always the same for a seed.</summary>
internal sealed class RandomResponse
{
    private const int EndRequestType = 3;
    private const int StdoutType = 6;
    private const int StderrType = 7;

    /// <summary>
    /// No 1xx: nginx sends it as the response, after which its client waits for another. No 205: nginx sends its body.
    /// </summary>
    private static readonly string[] s_statuses =
    [
        "200 OK", "200", "200 ", "201 Because", "204 No Content", "206 Partial", "301", "302 Found", "304 Not Modified",
        "404 Not Found", "500 Oops", "503", "999 Odd", "200  OK",
    ];

    private static readonly string[] s_fields =
    [
        "Content-Type: text/html", "Content-Type: text/plain; charset=utf-8", "Content-Type: a\nContent-Type: b",
        "Location: /local", "Location: http://h/abs", "Location: //h/x", "Location: relative", "Location:", "Location: ?q",
        "Location: /\u00fc", "Transfer-Encoding: chunked", "Transfer-Encoding: identity", "Connection: close", "Connection: keep-alive",
        "Connection: X-Hop\nX-Hop: 1", "Keep-Alive: 5", "Proxy-Connection: close", "TE: trailers", "Te: gzip", "Trailer: X-A",
        "Upgrade: h2c", "Upgrade: websocket\nConnection: upgrade", "Proxy-Authenticate: Basic", "HTTP2-Settings: x",
        "X-Accel-Buffering: no", "X-Accel-Expires: 5", "X-Accel-Limit-Rate: 1000000", "Set-Cookie: a=b\nSet-Cookie: c=d",
        "Set-Cookie:", "Date: Thu, 01 Jan 1970 00:00:00 GMT", "Server: mine", "ETag: \"x\"", "ETag: a\nETag: b",
        "Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT", "Last-Modified: a\nLast-Modified: b", "Expires: 0", "Expires: a\nExpires: b",
        "Content-Encoding: gzip", "Content-Encoding: a\nContent-Encoding: b", "Content-Range: bytes 0-1/2",
        "Content-Range: a\nContent-Range: b", "Retry-After: 5", "Retry-After: a\nRetry-After: b", "Cache-Control: a\nCache-Control: b",
        "Vary: a\nVary: b", "WWW-Authenticate: Basic\nWWW-Authenticate: Digest", "Content-Language: de\nContent-Language: en",
        "Accept-Ranges: bytes", "Link: </a>", "Refresh: 1; url=/x", "Via: 1.1 x", "Allow: GET", "Pragma: x", "Age: 1", "P3P: x",
        "Status-Code: 5", "Content-Disposition: x", "Content-MD5: x", "Trailers: x", "X-Pad: x", "X-Powered-By: me", "Alt-Svc: x",
        "Host: x", "X-A: b\nx-a: c", "X-A:", "X-A:   b  ", "X-A:\tb\t", "X-A: a\tb", "X-A: a: b", "X-A: \u00fc", "X-A: \u00c3\u00bc",
        "X-A: \"b", "X-A: b,", "X-A: ,b", "X_A: b", "X.A: b",
    ];

    /// <summary>Lines that this client refuses, and nginx not always.</summary>
    private static readonly string[] s_wrong =
    [
        "Status: 99", "Status: 2 OK", "Status: abc", "Status:", "Status: 200OK", "Status: -200", "Status: 2000", "Status: 0200",
        "Status: 200\tOK", "Status : 404", "Status: 200\nStatus: 201", "Location: /a\nLocation: /b", "Content-Length: -1",
        "Content-Length: +5", "Content-Length: 5,5", "Content-Length: 5\nContent-Length: 6", "Content-Length: abc", "Content-Length:",
        "Content-Length: 99999999999999999999", "Content-Length : 5", "X-A: a\0b", "X-A: a\rb", "X-A: b\r\r", "X/A: b", "X A: b",
        "X-A : b", "X-A\t: b", ": b", ":", "nocolon", " folded", "\tfolded", " X-A: b", "\u00fc: b", "X\0A: b", "X\u007fA: b",
        "\"X-A\": b",
    ];

    private readonly SeededChoices _choices;

    /// <summary>Only END_REQUEST says that the body is whole.</summary>
    private bool _needsEnd;

    public RandomResponse(int seed, int id = 1)
    {
        _choices = new SeededChoices(seed);
        Method = _choices.Note(_choices.Pick("GET", "GET", "GET", "HEAD", "POST"));

        // The application closes some kept connections, perhaps just when a request comes, and no POST is sent again.
        Place = _choices.Note(Method == "POST" ? "closed" : _choices.Pick("kept", "closed"));
        ReadSize = _choices.Pick(1, 100, 10_000, 100_000);
        string body = new((char)('a' + _choices.Below(26)), _choices.Pick(0, 1, 5, 100, _choices.Below(5000), _choices.Below(200_000)));
        Pieces = Cut(Records(Encoding.Latin1.GetBytes(Damage(Head(body.Length)) + body), id));
    }

    public string Method { get; }

    /// <summary>"kept", where the request asks to keep the connection, or "closed".</summary>
    public string Place { get; }

    /// <summary>How much a reader of the response takes at a time.</summary>
    public int ReadSize { get; }

    /// <summary>The application closes the connection in any case.</summary>
    public bool Closes { get; private set; }

    /// <summary>This client refuses the response on purpose, and nginx not always.</summary>
    public bool IsWrong { get; private set; }

    /// <summary>The head is not what it was, so this client may refuse it, where nginx does not.</summary>
    public bool MayBeRefused { get; private set; }

    /// <summary>Each is one write.</summary>
    public List<byte[]> Pieces { get; }

    public override string ToString() => Regex.Replace(
        Regex.Replace($"{_choices}", "x{50,}", "(many)"), "[^ -~]", static match => $"\\x{(int)match.Value[0]:x2}");

    private string Head(int size)
    {
        _needsEnd = Method != "HEAD";
        List<string> lines = ["App: 1"];
        for (int count = _choices.Below(4); count > 0; count--)
        {
            string field = _choices.Pick(s_fields);
            if (!lines.Exists(line => line.StartsWith(field[..(field.IndexOf(':') + 1)], StringComparison.OrdinalIgnoreCase)))
            {
                Add(field);
            }
        }

        if (_choices.Below(2) == 0)
        {
            string status = _choices.Pick(s_statuses);
            _needsEnd &= status is not ['2', '0', '4', ..] and not ['3', '0', '4', ..];
            Add(_choices.Pick("Status: ", "Status:", "status:  ") + status);
        }

        if (_choices.Below(2) == 0)
        {
            _needsEnd = false;
            int length = _choices.Pick(size, size, size + 1, size / 2, 0);
            Add(_choices.Pick("", $"Content-Length: {length}\n") + $"Content-Length: {length}");
        }

        _choices.Sometimes(30, "long", () => Add("X-Long: " + new string('x', _choices.Below(30_000))));
        _choices.Sometimes(10, "wrong", () =>
        {
            IsWrong = true;
            Add(_choices.Pick(s_wrong));
        });
        bool hasEnd = true;
        _choices.Sometimes(40, "without end", () => hasEnd = false);
        string end = _choices.Pick("\r\n", "\n", "\r\n", "\n", "");
        _choices.Note($"{string.Join('\n', lines)} and {size} bytes");
        return string.Concat(lines.Concat(hasEnd ? [""] : []).SelectMany(static line => line.Split('\n')).Select(
            line => line + (end.Length > 0 ? end : _choices.Pick("\r\n", "\n"))));

        void Add(string line) => lines.Insert(_choices.Below(lines.Count + 1), line);
    }

    /// <summary>Changes, adds or removes a character of the head.</summary>
    private string Damage(string head)
    {
        _choices.Sometimes(IsWrong ? int.MaxValue : 5, "damaged", () =>
        {
            MayBeRefused = true;
            int at = _choices.Below(head.Length);
            string other = _choices.Pick("", "\0", "\r", "\n", "\r\n", " ", ":", ";", ",", "\"", "\u00fc", "\\", "/", "_", "-", "a");
            _choices.Note($"'{other}' at {at}");
            head = head[..at] + other + head[(at + _choices.Below(2))..];
        });
        return head;
    }

    private byte[] Records(byte[] response, int id)
    {
        var records = new RecordBuilder();
        int most = _choices.Pick(5, 100, 65_535, 65_535);
        for (int at = 0; at < response.Length;)
        {
            int size = Math.Min(response.Length - at, at > 1000 ? 65_535 : 1 + _choices.Below(most));
            records.Record(StdoutType, id, response.AsSpan(at, size), _choices.Pick(0, 0, _choices.Below(256)));
            at += size;
            _choices.Sometimes(10, "stderr", () => records.Stderr("PHP Warning: odd", id));
        }

        records = _choices.Below(8) == 0 ? records : records.Record(StdoutType, id, []);
        _choices.Sometimes(20, "end of stderr", () => records.Record(StderrType, id, []));
        int end = records.Length;
        records.Record(EndRequestType, id, [0, 0, 0, (byte)_choices.Below(2), 0, 0, 0, 0]);
        _choices.Sometimes(40, "another END_REQUEST", () => records.End(id));
        _choices.Sometimes(40, "bytes behind", () => records.Raw([1, 6, 0, 1, 0]));
        _choices.Sometimes(15, "closes", () => Closes = true);
        byte[] bytes = records.ToArray();
        _choices.Sometimes(8, "cut", () =>
        {
            // nginx takes the end of the connection for the end of a body without a length, wherever it was cut.
            IsWrong |= _needsEnd;
            Closes = true;
            bytes = bytes[.._choices.Below(end + 1)];
        });
        _choices.Sometimes(40, "refused", () => bytes = new RecordBuilder().End(id, _choices.Pick(1, 2, 3, 4)).ToArray());
        return bytes;
    }

    private List<byte[]> Cut(byte[] bytes)
    {
        List<byte[]> pieces = [];
        int most = _choices.Pick(10, 1000, bytes.Length + 1);
        for (int at = 0; at < bytes.Length; at += pieces[^1].Length)
        {
            int size = Math.Min(bytes.Length - at, pieces.Count > 5 ? bytes.Length : 1 + _choices.Below(most));
            pieces.Add(bytes[at..(at + size)]);
        }

        return pieces;
    }
}
