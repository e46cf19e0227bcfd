using Microsoft.Extensions.Primitives;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>
/// The header fields behind the known params, in the spelling that .NET and browsers use: a CGI name has lost the
/// case and cannot tell a hyphen from an underscore.
/// </summary>
internal static class KnownHeaders
{
    // In the order of the enumeration, from HttpHost on; null for HTTP_CONTENT_LENGTH and HTTP_CONTENT_TYPE.
    private static readonly string?[] s_headers =
    [
        "Host", "Connection", "Keep-Alive", "TE", "Expect", "Transfer-Encoding", "Upgrade", "Proxy", null, null,
        "Authorization", "Cookie", "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language",
        "User-Agent", "Referer", "Origin", "Cache-Control", "Pragma", "If-None-Match", "If-Modified-Since",
        "If-Match", "If-Unmodified-Since", "If-Range", "Range", "Content-Encoding", "Content-Language", "Date",
        "From", "Via", "Max-Forwards", "DNT", "Priority", "Save-Data", "Upgrade-Insecure-Requests",
        "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Sec-Fetch-User", "Sec-CH-UA", "Sec-CH-UA-Mobile",
        "Sec-CH-UA-Platform", "Sec-GPC", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Protocol",
        "Sec-WebSocket-Extensions", "Access-Control-Request-Method", "Access-Control-Request-Headers",
        "Last-Event-ID", "traceparent", "tracestate", "baggage", "Request-Id", "Correlation-Context",
        "X-Requested-With", "X-Request-ID", "Forwarded", "X-Real-IP", "X-Forwarded-For", "X-Forwarded-Proto",
        "X-Forwarded-Host", "X-Forwarded-Prefix", "X-HTTP-Method-Override", "X-CSRF-TOKEN",
        "RequestVerificationToken", "X-SignalR-User-Agent", "X-Grpc-Web", "X-User-Agent", "grpc-timeout",
        "grpc-encoding", "grpc-accept-encoding",
    ];

    private static readonly string?[] _names = CreateNames();

    /// <summary>No header field that is known has a longer name.</summary>
    private const int LongestName = 40;

    public static int ParamCount => _names.Length;

    /// <summary>The header field that the param carries; null for a param that is not one.</summary>
    public static string? NameOf(KnownParam param) => _names[(int)param];

    /// <summary>
    /// The param that carries the header field of this name, in any case, with hyphens or underscores.
    /// </summary>
    public static bool TryGetParam(string headerName, out KnownParam param)
    {
        param = KnownParam.None;
        if (headerName.Length > LongestName)
        {
            return false;
        }

        // As the web server would write it.
        Span<byte> name = stackalloc byte[ParamNames.HeaderPrefix.Length + headerName.Length];
        ParamNames.HeaderPrefix.CopyTo(name);
        for (var i = 0; i < headerName.Length; i++)
        {
            var folded = HeaderNameText.Fold(headerName[i]);
            if (!char.IsAscii(folded))
            {
                return false;
            }

            name[ParamNames.HeaderPrefix.Length + i] = (byte)folded;
        }

        param = ParamNames.Recognise(name) switch
        {
            KnownParam.HttpContentLength => KnownParam.ContentLength,
            KnownParam.HttpContentType => KnownParam.ContentType,
            var known => known,
        };
        return param != KnownParam.None;
    }

    /// <summary>One value for the lines of a header: cookies are joined in their own way (RFC 6265bis).</summary>
    public static string JoinLines(KnownParam param, StringValues lines) =>
        string.Join(param == KnownParam.HttpCookie ? "; " : ", ", (string?[])lines!);

    private static string?[] CreateNames()
    {
        var names = new string?[(int)KnownParam.HttpHost + s_headers.Length];
        s_headers.CopyTo(names, (int)KnownParam.HttpHost);

        // From the web server, not from HTTP_CONTENT_LENGTH and HTTP_CONTENT_TYPE, which the client may have made up.
        names[(int)KnownParam.ContentLength] = "Content-Length";
        names[(int)KnownParam.ContentType] = "Content-Type";
        return names;
    }
}
