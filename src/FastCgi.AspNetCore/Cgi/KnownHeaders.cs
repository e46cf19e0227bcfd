using System.Collections.Frozen;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>
/// The header fields behind the known params, in the spelling that .NET and browsers use: a CGI name has lost the
/// case and cannot tell a hyphen from an underscore.
/// </summary>
internal static class KnownHeaders
{
    private static readonly string?[] _names = CreateNames();

    private static readonly FrozenDictionary<string, KnownParam> _params = CreateParams();

    /// <summary>The number of values of <see cref="KnownParam"/>.</summary>
    public static int ParamCount => _names.Length;

    /// <summary>The header field that the param carries; null for a param that is not one.</summary>
    public static string? NameOf(KnownParam param) => _names[(int)param];

    /// <summary>
    /// The param that carries the header field of this name, as <see cref="HeaderNameComparer"/> does.
    /// </summary>
    public static bool TryGetParam(string headerName, out KnownParam param) =>
        _params.TryGetValue(headerName, out param)
        || (headerName.Contains('_') && _params.TryGetValue(HeaderNameComparer.WithHyphens(headerName), out param));

    private static FrozenDictionary<string, KnownParam> CreateParams()
    {
        var byName = new Dictionary<string, KnownParam>(StringComparer.OrdinalIgnoreCase);
        for (var i = 0; i < _names.Length; i++)
        {
            if (_names[i] is { } name)
            {
                byName.Add(name, (KnownParam)i);
            }
        }

        return byName.ToFrozenDictionary(StringComparer.OrdinalIgnoreCase);
    }

    private static string?[] CreateNames()
    {
        var names = new string?[(int)KnownParam.HttpGrpcAcceptEncoding + 1];

        // From the web server, not from HTTP_CONTENT_LENGTH and HTTP_CONTENT_TYPE, which the client may have made up.
        names[(int)KnownParam.ContentLength] = "Content-Length";
        names[(int)KnownParam.ContentType] = "Content-Type";

        names[(int)KnownParam.HttpHost] = "Host";
        names[(int)KnownParam.HttpConnection] = "Connection";
        names[(int)KnownParam.HttpKeepAlive] = "Keep-Alive";
        names[(int)KnownParam.HttpTe] = "TE";
        names[(int)KnownParam.HttpExpect] = "Expect";
        names[(int)KnownParam.HttpTransferEncoding] = "Transfer-Encoding";
        names[(int)KnownParam.HttpUpgrade] = "Upgrade";
        names[(int)KnownParam.HttpProxy] = "Proxy";
        names[(int)KnownParam.HttpAuthorization] = "Authorization";
        names[(int)KnownParam.HttpCookie] = "Cookie";
        names[(int)KnownParam.HttpAccept] = "Accept";
        names[(int)KnownParam.HttpAcceptCharset] = "Accept-Charset";
        names[(int)KnownParam.HttpAcceptEncoding] = "Accept-Encoding";
        names[(int)KnownParam.HttpAcceptLanguage] = "Accept-Language";
        names[(int)KnownParam.HttpUserAgent] = "User-Agent";
        names[(int)KnownParam.HttpReferer] = "Referer";
        names[(int)KnownParam.HttpOrigin] = "Origin";
        names[(int)KnownParam.HttpCacheControl] = "Cache-Control";
        names[(int)KnownParam.HttpPragma] = "Pragma";
        names[(int)KnownParam.HttpIfNoneMatch] = "If-None-Match";
        names[(int)KnownParam.HttpIfModifiedSince] = "If-Modified-Since";
        names[(int)KnownParam.HttpIfMatch] = "If-Match";
        names[(int)KnownParam.HttpIfUnmodifiedSince] = "If-Unmodified-Since";
        names[(int)KnownParam.HttpIfRange] = "If-Range";
        names[(int)KnownParam.HttpRange] = "Range";
        names[(int)KnownParam.HttpContentEncoding] = "Content-Encoding";
        names[(int)KnownParam.HttpContentLanguage] = "Content-Language";
        names[(int)KnownParam.HttpDate] = "Date";
        names[(int)KnownParam.HttpFrom] = "From";
        names[(int)KnownParam.HttpVia] = "Via";
        names[(int)KnownParam.HttpForwarded] = "Forwarded";
        names[(int)KnownParam.HttpMaxForwards] = "Max-Forwards";
        names[(int)KnownParam.HttpDnt] = "DNT";
        names[(int)KnownParam.HttpPriority] = "Priority";
        names[(int)KnownParam.HttpSaveData] = "Save-Data";
        names[(int)KnownParam.HttpUpgradeInsecureRequests] = "Upgrade-Insecure-Requests";
        names[(int)KnownParam.HttpSecFetchSite] = "Sec-Fetch-Site";
        names[(int)KnownParam.HttpSecFetchMode] = "Sec-Fetch-Mode";
        names[(int)KnownParam.HttpSecFetchDest] = "Sec-Fetch-Dest";
        names[(int)KnownParam.HttpSecFetchUser] = "Sec-Fetch-User";
        names[(int)KnownParam.HttpSecChUa] = "Sec-CH-UA";
        names[(int)KnownParam.HttpSecChUaMobile] = "Sec-CH-UA-Mobile";
        names[(int)KnownParam.HttpSecChUaPlatform] = "Sec-CH-UA-Platform";
        names[(int)KnownParam.HttpSecGpc] = "Sec-GPC";
        names[(int)KnownParam.HttpSecWebSocketKey] = "Sec-WebSocket-Key";
        names[(int)KnownParam.HttpSecWebSocketVersion] = "Sec-WebSocket-Version";
        names[(int)KnownParam.HttpSecWebSocketProtocol] = "Sec-WebSocket-Protocol";
        names[(int)KnownParam.HttpSecWebSocketExtensions] = "Sec-WebSocket-Extensions";
        names[(int)KnownParam.HttpAccessControlRequestMethod] = "Access-Control-Request-Method";
        names[(int)KnownParam.HttpAccessControlRequestHeaders] = "Access-Control-Request-Headers";
        names[(int)KnownParam.HttpLastEventId] = "Last-Event-ID";
        names[(int)KnownParam.HttpTraceParent] = "traceparent";
        names[(int)KnownParam.HttpTraceState] = "tracestate";
        names[(int)KnownParam.HttpBaggage] = "baggage";
        names[(int)KnownParam.HttpRequestId] = "Request-Id";
        names[(int)KnownParam.HttpCorrelationContext] = "Correlation-Context";
        names[(int)KnownParam.HttpXRequestedWith] = "X-Requested-With";
        names[(int)KnownParam.HttpXRequestId] = "X-Request-ID";
        names[(int)KnownParam.HttpXRealIp] = "X-Real-IP";
        names[(int)KnownParam.HttpXForwardedFor] = "X-Forwarded-For";
        names[(int)KnownParam.HttpXForwardedProto] = "X-Forwarded-Proto";
        names[(int)KnownParam.HttpXForwardedHost] = "X-Forwarded-Host";
        names[(int)KnownParam.HttpXForwardedPrefix] = "X-Forwarded-Prefix";
        names[(int)KnownParam.HttpXHttpMethodOverride] = "X-HTTP-Method-Override";
        names[(int)KnownParam.HttpXCsrfToken] = "X-CSRF-TOKEN";
        names[(int)KnownParam.HttpRequestVerificationToken] = "RequestVerificationToken";
        names[(int)KnownParam.HttpXSignalRUserAgent] = "X-SignalR-User-Agent";
        names[(int)KnownParam.HttpXGrpcWeb] = "X-Grpc-Web";
        names[(int)KnownParam.HttpXUserAgent] = "X-User-Agent";
        names[(int)KnownParam.HttpGrpcTimeout] = "grpc-timeout";
        names[(int)KnownParam.HttpGrpcEncoding] = "grpc-encoding";
        names[(int)KnownParam.HttpGrpcAcceptEncoding] = "grpc-accept-encoding";
        return names;
    }
}
