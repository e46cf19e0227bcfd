using Microsoft.AspNetCore.WebUtilities;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The reason why the server itself answers a request. All are created before the first request.</summary>
internal sealed class CgiRejection
{
    private const string PlainText = "Content-Type: text/plain; charset=utf-8";

    private const string Configuration =
        "nginx: put 'include fastcgi_params;' beside fastcgi_pass, or 'include scgi_params;' beside scgi_pass. " +
        "Other web servers send it by themselves.";

    public static readonly CgiRejection MissingMethod = new(
        500,
        "The web server did not send the FastCGI parameter REQUEST_METHOD. " + Configuration,
        "The param REQUEST_METHOD is missing or empty. " + Configuration);

    public static readonly CgiRejection MissingTarget = new(
        500,
        "The web server did not send the FastCGI parameter REQUEST_URI. " + Configuration,
        "None of the params REQUEST_URI, SCRIPT_NAME, PATH_INFO and DOCUMENT_URI has a value. " + Configuration);

    public static readonly CgiRejection UnlocatedTarget = new(
        500,
        "The web server sent none of the FastCGI parameters DOCUMENT_URI, SCRIPT_NAME and PATH_INFO. " +
        "nginx: put 'fastcgi_param DOCUMENT_URI $document_uri;' beside fastcgi_pass.",
        "None of the params DOCUMENT_URI, SCRIPT_NAME and PATH_INFO has a value. REQUEST_URI alone names the refused " +
        "page, even where the web server asks for its error page. nginx: put 'fastcgi_param DOCUMENT_URI " +
        "$document_uri;' beside fastcgi_pass, or 'scgi_param DOCUMENT_URI $document_uri;' beside scgi_pass. Or set " +
        "TargetSource to RequestUri, if the web server never redirects internally.",
        KnownParam.RequestUri);

    public static readonly CgiRejection EncodingSelectorFailed = new(
        500,
        "The server could not read the request headers.",
        "The RequestHeaderEncodingSelector of the application threw.");

    public static readonly CgiRejection InvalidMethod = new(
        400, "The request method is not a token.", "The method is not a token.", KnownParam.RequestMethod);

    public static readonly CgiRejection ConnectMethod = new(
        501,
        "CONNECT is not supported.",
        "CONNECT asks for a tunnel, which FastCGI cannot carry. Refuse it in the web server.",
        KnownParam.RequestMethod);

    public static readonly CgiRejection TargetTooLong = new(
        414,
        "The request target is too long.",
        "The target is longer than the limit MaxRequestLineSize. Raise the limit if such targets are wanted.",
        KnownParam.RequestUri);

    public static readonly CgiRejection InvalidTarget = new(
        400,
        "The request target is not valid.",
        "The target is not a path, an absolute URL or '*', or it is not UTF-8, or it holds a NUL or a line break.",
        KnownParam.RequestUri);

    public static readonly CgiRejection AsteriskTarget = new(
        405,
        "The request target * is for OPTIONS.",
        "The target is '*', which only OPTIONS may have (RFC 9112, section 3.2.4).",
        KnownParam.RequestMethod)
    {
        Headers = PlainText + "\r\nAllow: OPTIONS",
    };

    public static readonly CgiRejection AmbiguousPath = new(
        400,
        "The request path is not in its normal form.",
        "The path means one thing to the web server and another to the application (RequireNormalizedPath).",
        KnownParam.RequestUri);

    public static readonly CgiRejection UndecidedPath = new(
        400,
        "The request path may mean two things.",
        "An authorizer is asked about a path that its next handler may read in another way: by a doubled or escaped " +
        "slash, or because Apache does not tell whether the path is decoded.",
        KnownParam.RequestUri);

    public static readonly CgiRejection NulInPath = new(
        400, "The request path holds a NUL.", "The path holds an encoded NUL (%00).", KnownParam.RequestUri);

    public static readonly CgiRejection InvalidHost = new(
        400,
        "The Host header is not valid.",
        "The Host header is not a host with an optional port.",
        KnownParam.HttpHost);

    public static readonly CgiRejection ConflictingHost = new(
        400,
        "The Host header names another host than the request target.",
        "The Host header names another host than the absolute REQUEST_URI, or than the SERVER_NAME of Caddy. If the " +
        "web server sets HTTP_HOST, it must set the other one too.",
        KnownParam.HttpHost);

    public static readonly CgiRejection InvalidContentLength = new(
        400,
        "The Content-Length is not valid.",
        "The content length is not a decimal number below 2^63.",
        KnownParam.ContentLength);

    public static readonly CgiRejection ConflictingContentLength = new(
        400,
        "The request has more than one Content-Length.",
        "CONTENT_LENGTH came more than once and with different values. The web server's configuration sets it twice.",
        KnownParam.ContentLength);

    public static readonly CgiRejection TooManyHeaders = new(
        431,
        "The request has too many headers.",
        "There are more header lines than the limit MaxRequestHeaderCount.");

    public static readonly CgiRejection HeadersTooLarge = new(
        431,
        "The request headers are too large.",
        "The header lines are larger than the limit MaxRequestHeadersTotalSize.");

    public static readonly CgiRejection InvalidHeaderValue = new(
        400,
        "A request header has a value that is not valid.",
        "A header value holds a NUL or a line break, or is not UTF-8 (see RequestHeaderEncodingSelector).");

    public static readonly CgiRejection AmbiguousHeader = new(
        400,
        "Two request headers have names that differ in punctuation only.",
        "lighttpd sends two headers by one name, such as X-Real-IP and X_Real_IP. One of them may be forged.");

    public static readonly CgiRejection InvalidRemoteAddress = new(
        400,
        "The address of the client is not known.",
        "REMOTE_ADDR is missing or no address. Forwarded headers (AllowForwardedHeaders) would be believed of such a " +
        "client. nginx: write 'fastcgi_param REMOTE_ADDR $remote_addr;'.",
        KnownParam.RemoteAddr);

    public static readonly CgiRejection ParamsTooLarge = new(
        431,
        "The request headers are too large.",
        "The params are larger than the limits for the headers and the target allow.");

    public static readonly CgiRejection TruncatedParams = new(
        400,
        "The FastCGI parameters end in the middle of a pair.",
        "The params end in the middle of a pair: the peer cut them off, or does not speak FastCGI properly.");

    public static readonly CgiRejection MissingContentLength = new(
        400,
        "The web server did not send the SCGI header CONTENT_LENGTH.",
        "The SCGI header CONTENT_LENGTH is missing or empty, and without it nobody knows where the body ends. nginx, " +
        "Apache and lighttpd send it by themselves.");

    public static readonly CgiRejection ParamsTimeout = new(
        408,
        "The request headers took too long.",
        "The params were not complete within RequestHeadersTimeout.");

    public static readonly CgiRejection RequestTimeout = new(
        504,
        "The application took too long.",
        "The response had not begun within RequestTimeout.");

    public static readonly CgiRejection UnknownRole = new(
        500,
        "This FastCGI application is a responder and an authorizer, and nothing else.",
        "The role is neither responder nor authorizer. Correct the web server's configuration.");

    public static readonly CgiRejection Overloaded = new(
        503,
        "The application is too busy. Try again later.",
        "There are as many requests as the limit allows.");

    /// <remarks>
    /// Every gRPC client takes 404 for "unimplemented". Not a success status, which nginx's auth_request and the
    /// authorizer role would take for permission.
    /// </remarks>
    public static readonly CgiRejection NativeGrpc = new(
        404,
        "",
        "Native gRPC needs response trailers, which FastCGI and SCGI do not have. Use gRPC-Web: UseGrpcWeb in the " +
        "application, and a client or a proxy that speaks it.",
        KnownParam.ContentType)
    {
        Headers = "Content-Type: application/grpc\r\ngrpc-status: 12\r\n" +
            "grpc-message: Native gRPC cannot pass through FastCGI or SCGI. Use gRPC-Web.",
    };

    private CgiRejection(int statusCode, string text, string detail, KnownParam param = KnownParam.None)
    {
        StatusCode = statusCode;
        Text = text;
        Detail = detail;
        Param = param;
    }

    public int StatusCode { get; }

    /// <summary>The body of the answer, as plain ASCII text for a browser. Contains no data of the request.</summary>
    public string Text { get; }

    /// <summary>The header lines of the answer, without its length.</summary>
    public string Headers { get; private init; } = PlainText;

    /// <summary>The fault and its remedy, for the log. Contains no data of the request.</summary>
    public string Detail { get; }

    /// <summary>The param with the invalid value; None if it is no single one.</summary>
    public KnownParam Param { get; }

    /// <summary>Writes the answer, without a body for HEAD. Returns the length.</summary>
    public int Write(Span<byte> destination, bool isHead) => Encoding.ASCII.GetBytes(
        // The status is first, because an authorizer's must be.
        $"Status: {StatusCode} {ReasonPhrases.GetReasonPhrase(StatusCode)}\r\n{Headers}\r\n" +
        $"Content-Length: {Text.Length}\r\n\r\n{(isHead ? "" : Text)}",
        destination);

    public override string ToString() => $"{StatusCode}: {Detail}";
}
