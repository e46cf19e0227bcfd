using System.Buffers;

namespace FastCgi.Client.Responses;

/// <summary>
/// Reads the head of a CGI response (RFC 3875, section 6), wherever it was split. Lines end with LF or CR LF. Interim
/// heads are skipped, but count for the limit.
/// </summary>
internal sealed class CgiHeadReader(string endpoint, int limit, bool isScgi)
{
    private static readonly SearchValues<byte> s_token = SearchValues.Create(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"u8);

    private CgiHead _head = new();
    private byte[] _pending = [];
    private int _pendingLength;
    private int _total;
    private bool _any;

    /// <summary>
    /// Takes the head from the front of <paramref name="content"/>. Null if all bytes were taken and more are needed.
    /// </summary>
    /// <exception cref="FastCgiException">The head is invalid or too long.</exception>
    public CgiHead? Read(ref ReadOnlyMemory<byte> content)
    {
        ReadOnlySpan<byte> span = content.Span;
        while (true)
        {
            int end = span.IndexOf((byte)'\n');
            int size = end < 0 ? span.Length : end + 1;
            _total += size;
            if (_total > limit)
            {
                throw new FastCgiException(
                    FastCgiError.HeadTooLong,
                    $"The response head of {endpoint} is longer than {limit} bytes. If that is right, raise " +
                    "MaxResponseHeadersLength.");
            }

            if (end < 0)
            {
                Keep(span);
                content = default;
                return null;
            }

            bool isLast = ReadLine(span[..end]);
            span = span[size..];
            if (isLast && _head.IsInterim)
            {
                _head = new CgiHead();
                _any = false;
            }
            else if (isLast)
            {
                content = content[^span.Length..];
                return _head;
            }
        }
    }

    private void Keep(ReadOnlySpan<byte> part)
    {
        if (_pending.Length < _pendingLength + part.Length)
        {
            Array.Resize(ref _pending, Math.Max(256, Math.Max(_pending.Length * 2, _pendingLength + part.Length)));
        }

        part.CopyTo(_pending.AsSpan(_pendingLength));
        _pendingLength += part.Length;
    }

    /// <summary>True if the line is the empty one after the head.</summary>
    private bool ReadLine(ReadOnlySpan<byte> line)
    {
        if (_pendingLength > 0)
        {
            Keep(line);
            line = _pending.AsSpan(0, _pendingLength);
            _pendingLength = 0;
        }

        line = line is [.., (byte)'\r'] ? line[..^1] : line;
        if (line.IsEmpty)
        {
            return _any ? true : throw Invalid("it has no field");
        }

        if (!_any && line.StartsWith("HTTP/"u8))
        {
            ReadStatusLine(line);
        }
        else
        {
            ReadField(line);
        }

        _any = true;
        return false;
    }

    /// <summary>Some SCGI applications begin like an HTTP response, and web servers accept that.</summary>
    private void ReadStatusLine(ReadOnlySpan<byte> line)
    {
        RefuseControls(line, line);
        int space = line.IndexOf((byte)' ');
        ReadStatus(space < 0 ? default : line[(space + 1)..]);

        // An HTTP server refuses an SCGI head in this way. In FastCGI records it is the application's own status.
        if (isScgi && _head.Status == HttpStatusCode.BadRequest)
        {
            throw new FastCgiException(
                FastCgiError.PeerSpeaksHttp,
                $"{endpoint} answers in HTTP: '{Encoding.Latin1.GetString(line)}'. Use an HttpClient without " +
                "FastCgiHandler, or name the endpoint where the application speaks SCGI.");
        }
    }

    private void ReadField(ReadOnlySpan<byte> line)
    {
        int colon = line.IndexOf((byte)':');
        if (colon <= 0 || line[..colon].ContainsAnyExcept(s_token))
        {
            throw Invalid($"it has the line '{Shown(line)}'");
        }

        ReadOnlySpan<byte> value = line[(colon + 1)..].Trim(" \t"u8);
        RefuseControls(value, line);

        string name = NameOf(line[..colon]);
        if (name == "Status" || name.Equals("Status", StringComparison.OrdinalIgnoreCase))
        {
            ReadStatus(value);
            return;
        }

        try
        {
            _head.Add(name, Encoding.Latin1.GetString(value));
        }
        catch (FormatException exception)
        {
            throw Invalid(exception.Message);
        }
    }

    private void RefuseControls(ReadOnlySpan<byte> part, ReadOnlySpan<byte> line)
    {
        if (part.ContainsAny((byte)0, (byte)'\r'))
        {
            throw Invalid($"it has a control character in the line '{Shown(line)}'");
        }
    }

    /// <summary>Reads three digits, perhaps followed by a space and a reason (section 6.3.3).</summary>
    private void ReadStatus(ReadOnlySpan<byte> value)
    {
        if (_head.Status is not null)
        {
            throw Invalid("it has two status codes");
        }

        if (value.Length < 3 || value[..3].ContainsAnyExceptInRange((byte)'0', (byte)'9') || value[0] == '0'
            || (value.Length > 3 && value[3] != ' '))
        {
            throw Invalid($"its status is '{Shown(value)}'");
        }

        _head.Status = (HttpStatusCode)(((value[0] - '0') * 100) + ((value[1] - '0') * 10) + (value[2] - '0'));
        _head.Reason = value.Length > 4 ? Encoding.Latin1.GetString(value[4..]) : null;
    }

    /// <summary>Returns the names of almost all responses without creating strings.</summary>
    private static string NameOf(ReadOnlySpan<byte> name) => name.Length switch
    {
        4 when name.SequenceEqual("Date"u8) => "Date",
        6 when name.SequenceEqual("Status"u8) => "Status",
        6 when name.SequenceEqual("Server"u8) => "Server",
        8 when name.SequenceEqual("Location"u8) => "Location",
        10 when name.SequenceEqual("Set-Cookie"u8) => "Set-Cookie",
        12 when name.SequenceEqual("Content-Type"u8) => "Content-Type",
        12 when name.SequenceEqual("Content-type"u8) => "Content-Type",
        12 when name.SequenceEqual("X-Powered-By"u8) => "X-Powered-By",
        13 when name.SequenceEqual("Cache-Control"u8) => "Cache-Control",
        14 when name.SequenceEqual("Content-Length"u8) => "Content-Length",
        _ => Encoding.ASCII.GetString(name),
    };

    private static string Shown(ReadOnlySpan<byte> line) =>
        Encoding.Latin1.GetString(line[..Math.Min(line.Length, 80)]).Replace('\0', '?').Replace('\r', '?');

    private FastCgiException Invalid(string reason) => new(
        FastCgiError.InvalidHead,
        $"The response head of {endpoint} is not the one of a CGI response: {reason}. It needs fields like " +
        "'Content-Type: text/html' and an empty line behind them.");
}
