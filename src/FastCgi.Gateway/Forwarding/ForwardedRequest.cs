using System.Diagnostics;
using System.Net.Http.Headers;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace FastCgi.Gateway.Forwarding;

/// <summary>Creates the message for the application from the client's request.</summary>
internal static class ForwardedRequest
{
    private static readonly Uri s_http = new("http://localhost/");
    private static readonly Uri s_https = new("https://localhost/");

    /// <summary>The method, target, headers and facts, with <paramref name="body"/>, or null for none.</summary>
    public static HttpRequestMessage Create(
        HttpContext context, ForwardedPlace place, UpgradeRequest? upgrade, HttpContent? body, ForwardingRules rules)
    {
        HttpRequest request = context.Request;

        // An extended CONNECT becomes an Upgrade, which is only possible with GET of HTTP/1.1.
        bool isConnect = upgrade is { IsExtendedConnect: true };
        var message = new HttpRequestMessage(
            isConnect ? HttpMethod.Get : HttpMethod.Parse(request.Method), request.IsHttps ? s_https : s_http)
        {
            Version = isConnect ? System.Net.HttpVersion.Version11 : VersionOf(request.Protocol),
            Content = body,
        };
        message.Options.Set(FastCgiRequestOptions.RequestTarget, ForwardedTarget.Of(context));
        CopyHeaders(request, message, hasContent: upgrade is null, Activity.Current is null ? [] : rules.TraceHeaders);
        upgrade?.WriteHeaders(message);
        ForwardedFacts.Write(context, message, place);
        if (rules.TransformParameters is { } transform)
        {
            var parameters = message.Options.TryGetValue(
                FastCgiRequestOptions.Parameters, out IReadOnlyDictionary<string, string?>? known)
                ? new Dictionary<string, string?>(known, StringComparer.Ordinal)
                : new Dictionary<string, string?>(StringComparer.Ordinal);
            transform(context, parameters);
            message.Options.Set(FastCgiRequestOptions.Parameters, parameters);
        }

        return message;
    }

    /// <summary>True if a body may follow. The server may not know whether it is empty.</summary>
    public static bool HasBody(HttpContext context) =>
        context.Features.Get<IHttpRequestBodyDetectionFeature>()?.CanHaveBody
        ?? (context.Request.ContentLength > 0 || context.Request.Headers.TransferEncoding.Count > 0);

    /// <summary>Copies headers. An upgrade has no content, so content headers of a handshake are left out.</summary>
    private static void CopyHeaders(
        HttpRequest request, HttpRequestMessage message, bool hasContent, IReadOnlyCollection<string> traceHeaders)
    {
        HashSet<string>? nominated = HopByHopHeaders.Nominated(request.Headers.Connection);
        foreach ((string name, StringValues values) in request.Headers)
        {
            if (name is [':', ..] || HopByHopHeaders.Contains(name) || nominated?.Contains(name) == true
                || (traceHeaders.Count > 0 && traceHeaders.Contains(name, StringComparer.OrdinalIgnoreCase)))
            {
                continue;
            }

            Add(message, name, values.Count > 1 ? Kept(name, values) : values, hasContent);
        }
    }

    private static StringValues Kept(string name, StringValues values)
    {
        // HTTP/2 may split cookies (RFC 9113, section 8.2.3).
        if (name.Equals(HeaderNames.Cookie, StringComparison.OrdinalIgnoreCase))
        {
            return string.Join("; ", (IEnumerable<string?>)values);
        }

        // A list of types is no type. nginx takes the first one.
        return name.Equals(HeaderNames.ContentType, StringComparison.OrdinalIgnoreCase)
            ? new StringValues(values[0])
            : values;
    }

    private static void Add(HttpRequestMessage message, string name, StringValues values, bool hasContent)
    {
        if (!TryAdd(message.Headers) && hasContent)
        {
            TryAdd(ContentOf(message).Headers);
        }

        bool TryAdd(HttpHeaders headers) => values.Count == 1
            ? headers.TryAddWithoutValidation(name, values.ToString())
            : headers.TryAddWithoutValidation(name, (IEnumerable<string?>)values);
    }

    /// <summary>.NET stores some headers with a content, even for requests without a body.</summary>
    private static HttpContent ContentOf(HttpRequestMessage message) =>
        message.Content ??= new ByteArrayContent([]);

    private static Version VersionOf(string protocol) =>
        HttpProtocol.IsHttp11(protocol) ? System.Net.HttpVersion.Version11
        : HttpProtocol.IsHttp2(protocol) ? System.Net.HttpVersion.Version20
        : HttpProtocol.IsHttp3(protocol) ? System.Net.HttpVersion.Version30
        : System.Net.HttpVersion.Version10;
}
