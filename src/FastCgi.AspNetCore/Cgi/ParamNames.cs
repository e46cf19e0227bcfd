using Microsoft.Extensions.Primitives;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>
/// The names of the known params, and of their header fields in the spelling of .NET and browsers: a CGI name has lost
/// its case, and an underscore may stand for a hyphen.
/// </summary>
internal static class ParamNames
{
    // In the order of the enumeration, up to the first header field.
    private static readonly string[] _metaVariables =
    [
        "",
        "REQUEST_METHOD", "REQUEST_URI", "UNENCODED_URL", "SCRIPT_NAME", "PATH_INFO", "DOCUMENT_URI",
        "QUERY_STRING", "SERVER_PROTOCOL", "REQUEST_SCHEME", "HTTPS", "SERVER_NAME", "SERVER_PORT",
        "SERVER_ADDR", "SERVER_SOFTWARE", "REMOTE_ADDR", "REMOTE_PORT", "REMOTE_USER", "AUTH_TYPE",
        "CONTENT_LENGTH", "CONTENT_TYPE", "ASPNETCORE_PATHBASE", "REDIRECT_HTTP_AUTHORIZATION",
        "SSL_CLIENT_CERT", "SSL_PROTOCOL", "SSL_CIPHER", "GATEWAY_INTERFACE", "SCRIPT_FILENAME",
        "DOCUMENT_ROOT", "CONTEXT_DOCUMENT_ROOT", "REDIRECT_STATUS", "REDIRECT_URI",
    ];

    // First in the order of the enumeration, from HttpHost on. Null for HTTP_CONTENT_LENGTH and HTTP_CONTENT_TYPE.
    private static readonly string?[] s_headers =
    [
        "Host", "Connection", "Keep-Alive", "TE", "Expect", "Transfer-Encoding", "Upgrade", "Proxy", null, null,
        "Authorization", "Cookie", "Referer", "Origin", "Forwarded", "X-Real-IP", "X-Forwarded-For",
        "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Prefix",

        // Without a name in the enumeration: browsers send them, or frameworks read them.
        "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "User-Agent", "Cache-Control",
        "Pragma", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range",
        "Content-Encoding", "Content-Language", "Date", "From", "Via", "Max-Forwards", "DNT", "Priority",
        "Save-Data", "Upgrade-Insecure-Requests", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest",
        "Sec-Fetch-User", "Sec-CH-UA", "Sec-CH-UA-Mobile", "Sec-CH-UA-Platform", "Sec-GPC", "Sec-WebSocket-Key",
        "Sec-WebSocket-Version", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions",
        "Access-Control-Request-Method", "Access-Control-Request-Headers", "Last-Event-ID", "traceparent",
        "tracestate", "baggage", "Request-Id", "Correlation-Context", "X-Requested-With", "X-Request-ID",
        "X-HTTP-Method-Override", "X-CSRF-TOKEN", "RequestVerificationToken", "X-SignalR-User-Agent",
        "X-Grpc-Web", "X-User-Agent", "grpc-timeout", "grpc-encoding", "grpc-accept-encoding",
    ];

    private static readonly string?[] _headers = CreateHeaders();
    private static readonly byte[][] _names = CreateNames();
    private static readonly KnownParam[] _slots = CreateSlots();

    private const int LongestName = 40;

    /// <summary>The prefix of the param names of the client's header fields (RFC 3875, section 4.1.18).</summary>
    public static ReadOnlySpan<byte> HeaderPrefix => "HTTP_"u8;

    public static ReadOnlySpan<byte> NameOf(KnownParam param) => _names[(int)param];

    public static int ParamCount => _headers.Length;

    /// <summary>The header field of a param; null if it is none.</summary>
    public static string? HeaderOf(KnownParam param) => _headers[(int)param];

    /// <summary>Finds the param of a header field by name, in any case, with hyphens or underscores.</summary>
    public static bool TryGetParam(string headerName, out KnownParam param)
    {
        param = KnownParam.None;
        if (headerName.Length > LongestName)
        {
            return false;
        }

        // The name as the web server would write it.
        Span<byte> name = stackalloc byte[HeaderPrefix.Length + headerName.Length];
        HeaderPrefix.CopyTo(name);
        for (var i = 0; i < headerName.Length; i++)
        {
            var folded = HeaderNameText.Fold(headerName[i]);
            if (!char.IsAscii(folded))
            {
                return false;
            }

            name[HeaderPrefix.Length + i] = (byte)folded;
        }

        param = Recognise(name) switch
        {
            KnownParam.HttpContentLength => KnownParam.ContentLength,
            KnownParam.HttpContentType => KnownParam.ContentType,
            var known => known,
        };
        return param != KnownParam.None;
    }

    /// <summary>Joins the lines of a header. Cookies have a separator of their own (RFC 6265bis).</summary>
    public static string JoinLines(KnownParam param, StringValues lines) =>
        string.Join(param == KnownParam.HttpCookie ? "; " : ", ", (string?[])lines!);

    /// <summary>The known param with this name, otherwise None.</summary>
    public static KnownParam Recognise(ReadOnlySpan<byte> name) =>
        name.IsEmpty ? KnownParam.None : FindSlot(_slots, name);

    /// <summary>
    /// The slot of this name in a half-empty table, or the free slot for it. With these factors, nine of ten known
    /// names are found at the first slot.
    /// </summary>
    private static ref KnownParam FindSlot(KnownParam[] slots, ReadOnlySpan<byte> name)
    {
        byte slot = (byte)((17 * name.Length) + (5 * name[^1]) + (23 * name[name.Length / 2]));
        while (slots[slot] != KnownParam.None && !name.SequenceEqual(NameOf(slots[slot])))
        {
            slot++;
        }

        return ref slots[slot];
    }

    private static KnownParam[] CreateSlots()
    {
        var slots = new KnownParam[byte.MaxValue + 1];
        for (var param = KnownParam.None + 1; (int)param < ParamCount; param++)
        {
            FindSlot(slots, NameOf(param)) = param;
        }

        return slots;
    }

    private static byte[][] CreateNames()
    {
        var names = new byte[ParamCount][];
        for (var i = 0; i < names.Length; i++)
        {
            var param = (KnownParam)i;
            var name = param switch
            {
                < KnownParam.HttpHost => _metaVariables[i],
                KnownParam.HttpContentLength => "HTTP_CONTENT_LENGTH",
                KnownParam.HttpContentType => "HTTP_CONTENT_TYPE",
                _ => "HTTP_" + HeaderOf(param)!.ToUpperInvariant().Replace('-', '_'),
            };
            names[i] = Encoding.ASCII.GetBytes(name);
        }

        return names;
    }

    private static string?[] CreateHeaders()
    {
        var names = new string?[(int)KnownParam.HttpHost + s_headers.Length];
        s_headers.CopyTo(names, (int)KnownParam.HttpHost);

        // From the web server's params. HTTP_CONTENT_LENGTH and HTTP_CONTENT_TYPE may be invented by the client.
        names[(int)KnownParam.ContentLength] = "Content-Length";
        names[(int)KnownParam.ContentType] = "Content-Type";
        return names;
    }
}
