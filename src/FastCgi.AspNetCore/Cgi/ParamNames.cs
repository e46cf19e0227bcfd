using Microsoft.Extensions.Primitives;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>
/// The names of the known params, and of the header fields behind them in the spelling that .NET and browsers use: a
/// CGI name has lost the case and cannot tell a hyphen from an underscore.
/// </summary>
internal static class ParamNames
{
    // In the order of the enumeration, up to its first header field.
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

    private static readonly string?[] _headers = CreateHeaders();
    private static readonly byte[][] _names = CreateNames();

    /// <summary>No header field that is known has a longer name.</summary>
    private const int LongestName = 40;

    /// <summary>The prefix of the name of every header field of the client (RFC 3875, section 4.1.18).</summary>
    public static ReadOnlySpan<byte> HeaderPrefix => "HTTP_"u8;

    public static ReadOnlySpan<byte> NameOf(KnownParam param) => _names[(int)param];

    public static int ParamCount => _headers.Length;

    /// <summary>The header field that the param carries; null for a param that is not one.</summary>
    public static string? HeaderOf(KnownParam param) => _headers[(int)param];

    /// <summary>The param of the header field of this name, in any case, with hyphens or underscores.</summary>
    public static bool TryGetParam(string headerName, out KnownParam param)
    {
        param = KnownParam.None;
        if (headerName.Length > LongestName)
        {
            return false;
        }

        // As the web server would write it.
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

    /// <summary>One value for the lines of a header: cookies are joined in their own way (RFC 6265bis).</summary>
    public static string JoinLines(KnownParam param, StringValues lines) =>
        string.Join(param == KnownParam.HttpCookie ? "; " : ", ", (string?[])lines!);

    // A comparison with a literal is two or three wide compares, so a short chain for each length beats any hash.
    public static KnownParam Recognise(ReadOnlySpan<byte> name) => name.Length switch
    {
        5 when name.SequenceEqual("HTTPS"u8) => KnownParam.Https,
        7 when name.SequenceEqual("HTTP_TE"u8) => KnownParam.HttpTe,
        8 when name.SequenceEqual("HTTP_VIA"u8) => KnownParam.HttpVia,
        8 when name.SequenceEqual("HTTP_DNT"u8) => KnownParam.HttpDnt,
        9 when name.SequenceEqual("PATH_INFO"u8) => KnownParam.PathInfo,
        9 when name.SequenceEqual("AUTH_TYPE"u8) => KnownParam.AuthType,
        9 when name.SequenceEqual("HTTP_HOST"u8) => KnownParam.HttpHost,
        9 when name.SequenceEqual("HTTP_DATE"u8) => KnownParam.HttpDate,
        9 when name.SequenceEqual("HTTP_FROM"u8) => KnownParam.HttpFrom,
        10 when name.SequenceEqual("SSL_CIPHER"u8) => KnownParam.SslCipher,
        10 when name.SequenceEqual("HTTP_PROXY"u8) => KnownParam.HttpProxy,
        10 when name.SequenceEqual("HTTP_RANGE"u8) => KnownParam.HttpRange,
        11 when name.SequenceEqual("REQUEST_URI"u8) => KnownParam.RequestUri,
        11 when name.SequenceEqual("SCRIPT_NAME"u8) => KnownParam.ScriptName,
        11 when name.SequenceEqual("SERVER_NAME"u8) => KnownParam.ServerName,
        11 when name.SequenceEqual("SERVER_PORT"u8) => KnownParam.ServerPort,
        11 when name.SequenceEqual("SERVER_ADDR"u8) => KnownParam.ServerAddr,
        11 when name.SequenceEqual("REMOTE_ADDR"u8) => KnownParam.RemoteAddr,
        11 when name.SequenceEqual("REMOTE_PORT"u8) => KnownParam.RemotePort,
        11 when name.SequenceEqual("REMOTE_USER"u8) => KnownParam.RemoteUser,
        11 when name.SequenceEqual("HTTP_EXPECT"u8) => KnownParam.HttpExpect,
        11 when name.SequenceEqual("HTTP_COOKIE"u8) => KnownParam.HttpCookie,
        11 when name.SequenceEqual("HTTP_ACCEPT"u8) => KnownParam.HttpAccept,
        11 when name.SequenceEqual("HTTP_ORIGIN"u8) => KnownParam.HttpOrigin,
        11 when name.SequenceEqual("HTTP_PRAGMA"u8) => KnownParam.HttpPragma,
        12 when name.SequenceEqual("DOCUMENT_URI"u8) => KnownParam.DocumentUri,
        12 when name.SequenceEqual("REDIRECT_URI"u8) => KnownParam.RedirectUri,
        12 when name.SequenceEqual("QUERY_STRING"u8) => KnownParam.QueryString,
        12 when name.SequenceEqual("CONTENT_TYPE"u8) => KnownParam.ContentType,
        12 when name.SequenceEqual("SSL_PROTOCOL"u8) => KnownParam.SslProtocol,
        12 when name.SequenceEqual("HTTP_UPGRADE"u8) => KnownParam.HttpUpgrade,
        12 when name.SequenceEqual("HTTP_REFERER"u8) => KnownParam.HttpReferer,
        12 when name.SequenceEqual("HTTP_SEC_GPC"u8) => KnownParam.HttpSecGpc,
        12 when name.SequenceEqual("HTTP_BAGGAGE"u8) => KnownParam.HttpBaggage,
        13 when name.SequenceEqual("UNENCODED_URL"u8) => KnownParam.UnencodedUrl,
        13 when name.SequenceEqual("DOCUMENT_ROOT"u8) => KnownParam.DocumentRoot,
        13 when name.SequenceEqual("HTTP_IF_MATCH"u8) => KnownParam.HttpIfMatch,
        13 when name.SequenceEqual("HTTP_IF_RANGE"u8) => KnownParam.HttpIfRange,
        13 when name.SequenceEqual("HTTP_PRIORITY"u8) => KnownParam.HttpPriority,
        14 when name.SequenceEqual("REQUEST_METHOD"u8) => KnownParam.RequestMethod,
        14 when name.SequenceEqual("REQUEST_SCHEME"u8) => KnownParam.RequestScheme,
        14 when name.SequenceEqual("CONTENT_LENGTH"u8) => KnownParam.ContentLength,
        14 when name.SequenceEqual("HTTP_FORWARDED"u8) => KnownParam.HttpForwarded,
        14 when name.SequenceEqual("HTTP_SAVE_DATA"u8) => KnownParam.HttpSaveData,
        14 when name.SequenceEqual("HTTP_SEC_CH_UA"u8) => KnownParam.HttpSecChUa,
        14 when name.SequenceEqual("HTTP_X_REAL_IP"u8) => KnownParam.HttpXRealIp,
        15 when name.SequenceEqual("SERVER_PROTOCOL"u8) => KnownParam.ServerProtocol,
        15 when name.SequenceEqual("SERVER_SOFTWARE"u8) => KnownParam.ServerSoftware,
        15 when name.SequenceEqual("SSL_CLIENT_CERT"u8) => KnownParam.SslClientCert,
        15 when name.SequenceEqual("SCRIPT_FILENAME"u8) => KnownParam.ScriptFilename,
        15 when name.SequenceEqual("REDIRECT_STATUS"u8) => KnownParam.RedirectStatus,
        15 when name.SequenceEqual("HTTP_CONNECTION"u8) => KnownParam.HttpConnection,
        15 when name.SequenceEqual("HTTP_KEEP_ALIVE"u8) => KnownParam.HttpKeepAlive,
        15 when name.SequenceEqual("HTTP_USER_AGENT"u8) => KnownParam.HttpUserAgent,
        15 when name.SequenceEqual("HTTP_TRACESTATE"u8) => KnownParam.HttpTraceState,
        15 when name.SequenceEqual("HTTP_REQUEST_ID"u8) => KnownParam.HttpRequestId,
        15 when name.SequenceEqual("HTTP_X_GRPC_WEB"u8) => KnownParam.HttpXGrpcWeb,
        16 when name.SequenceEqual("HTTP_TRACEPARENT"u8) => KnownParam.HttpTraceParent,
        17 when name.SequenceEqual("GATEWAY_INTERFACE"u8) => KnownParam.GatewayInterface,
        17 when name.SequenceEqual("HTTP_CONTENT_TYPE"u8) => KnownParam.HttpContentType,
        17 when name.SequenceEqual("HTTP_MAX_FORWARDS"u8) => KnownParam.HttpMaxForwards,
        17 when name.SequenceEqual("HTTP_X_REQUEST_ID"u8) => KnownParam.HttpXRequestId,
        17 when name.SequenceEqual("HTTP_X_CSRF_TOKEN"u8) => KnownParam.HttpXCsrfToken,
        17 when name.SequenceEqual("HTTP_X_USER_AGENT"u8) => KnownParam.HttpXUserAgent,
        17 when name.SequenceEqual("HTTP_GRPC_TIMEOUT"u8) => KnownParam.HttpGrpcTimeout,
        18 when name.SequenceEqual("HTTP_AUTHORIZATION"u8) => KnownParam.HttpAuthorization,
        18 when name.SequenceEqual("HTTP_CACHE_CONTROL"u8) => KnownParam.HttpCacheControl,
        18 when name.SequenceEqual("HTTP_IF_NONE_MATCH"u8) => KnownParam.HttpIfNoneMatch,
        18 when name.SequenceEqual("HTTP_LAST_EVENT_ID"u8) => KnownParam.HttpLastEventId,
        18 when name.SequenceEqual("HTTP_GRPC_ENCODING"u8) => KnownParam.HttpGrpcEncoding,
        19 when name.SequenceEqual("ASPNETCORE_PATHBASE"u8) => KnownParam.PathBase,
        19 when name.SequenceEqual("HTTP_CONTENT_LENGTH"u8) => KnownParam.HttpContentLength,
        19 when name.SequenceEqual("HTTP_ACCEPT_CHARSET"u8) => KnownParam.HttpAcceptCharset,
        19 when name.SequenceEqual("HTTP_SEC_FETCH_SITE"u8) => KnownParam.HttpSecFetchSite,
        19 when name.SequenceEqual("HTTP_SEC_FETCH_MODE"u8) => KnownParam.HttpSecFetchMode,
        19 when name.SequenceEqual("HTTP_SEC_FETCH_DEST"u8) => KnownParam.HttpSecFetchDest,
        19 when name.SequenceEqual("HTTP_SEC_FETCH_USER"u8) => KnownParam.HttpSecFetchUser,
        20 when name.SequenceEqual("HTTP_ACCEPT_ENCODING"u8) => KnownParam.HttpAcceptEncoding,
        20 when name.SequenceEqual("HTTP_ACCEPT_LANGUAGE"u8) => KnownParam.HttpAcceptLanguage,
        20 when name.SequenceEqual("HTTP_X_FORWARDED_FOR"u8) => KnownParam.HttpXForwardedFor,
        21 when name.SequenceEqual("CONTEXT_DOCUMENT_ROOT"u8) => KnownParam.ContextDocumentRoot,
        21 when name.SequenceEqual("HTTP_CONTENT_ENCODING"u8) => KnownParam.HttpContentEncoding,
        21 when name.SequenceEqual("HTTP_CONTENT_LANGUAGE"u8) => KnownParam.HttpContentLanguage,
        21 when name.SequenceEqual("HTTP_SEC_CH_UA_MOBILE"u8) => KnownParam.HttpSecChUaMobile,
        21 when name.SequenceEqual("HTTP_X_REQUESTED_WITH"u8) => KnownParam.HttpXRequestedWith,
        21 when name.SequenceEqual("HTTP_X_FORWARDED_HOST"u8) => KnownParam.HttpXForwardedHost,
        22 when name.SequenceEqual("HTTP_TRANSFER_ENCODING"u8) => KnownParam.HttpTransferEncoding,
        22 when name.SequenceEqual("HTTP_IF_MODIFIED_SINCE"u8) => KnownParam.HttpIfModifiedSince,
        22 when name.SequenceEqual("HTTP_SEC_WEBSOCKET_KEY"u8) => KnownParam.HttpSecWebSocketKey,
        22 when name.SequenceEqual("HTTP_X_FORWARDED_PROTO"u8) => KnownParam.HttpXForwardedProto,
        23 when name.SequenceEqual("HTTP_SEC_CH_UA_PLATFORM"u8) => KnownParam.HttpSecChUaPlatform,
        23 when name.SequenceEqual("HTTP_X_FORWARDED_PREFIX"u8) => KnownParam.HttpXForwardedPrefix,
        24 when name.SequenceEqual("HTTP_IF_UNMODIFIED_SINCE"u8) => KnownParam.HttpIfUnmodifiedSince,
        24 when name.SequenceEqual("HTTP_CORRELATION_CONTEXT"u8) => KnownParam.HttpCorrelationContext,
        25 when name.SequenceEqual("HTTP_X_SIGNALR_USER_AGENT"u8) => KnownParam.HttpXSignalRUserAgent,
        25 when name.SequenceEqual("HTTP_GRPC_ACCEPT_ENCODING"u8) => KnownParam.HttpGrpcAcceptEncoding,
        26 when name.SequenceEqual("HTTP_SEC_WEBSOCKET_VERSION"u8) => KnownParam.HttpSecWebSocketVersion,
        27 when name.SequenceEqual("REDIRECT_HTTP_AUTHORIZATION"u8) => KnownParam.RedirectHttpAuthorization,
        27 when name.SequenceEqual("HTTP_SEC_WEBSOCKET_PROTOCOL"u8) => KnownParam.HttpSecWebSocketProtocol,
        27 when name.SequenceEqual("HTTP_X_HTTP_METHOD_OVERRIDE"u8) => KnownParam.HttpXHttpMethodOverride,
        29 when name.SequenceEqual("HTTP_SEC_WEBSOCKET_EXTENSIONS"u8) => KnownParam.HttpSecWebSocketExtensions,
        29 when name.SequenceEqual("HTTP_REQUESTVERIFICATIONTOKEN"u8) => KnownParam.HttpRequestVerificationToken,
        30 when name.SequenceEqual("HTTP_UPGRADE_INSECURE_REQUESTS"u8) => KnownParam.HttpUpgradeInsecureRequests,
        34 when name.SequenceEqual("HTTP_ACCESS_CONTROL_REQUEST_METHOD"u8) => KnownParam.HttpAccessControlRequestMethod,
        35 when name.SequenceEqual("HTTP_ACCESS_CONTROL_REQUEST_HEADERS"u8) =>
            KnownParam.HttpAccessControlRequestHeaders,
        _ => KnownParam.None,
    };

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

        // From the web server, not from HTTP_CONTENT_LENGTH and HTTP_CONTENT_TYPE, which the client may have made up.
        names[(int)KnownParam.ContentLength] = "Content-Length";
        names[(int)KnownParam.ContentType] = "Content-Type";
        return names;
    }
}
