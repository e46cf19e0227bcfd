using FastCgi.Tool.Nginx;

namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Caches of nginx that give one client what belongs to another.</summary>
internal static class CacheRules
{
    public static IEnumerable<Finding> Check(PassPoint point, DoctorContext context)
    {
        if (point.Find("cache") is not { } cache || cache.Argument(0) == "off")
        {
            yield break;
        }

        NginxDirective? key = point.Find("cache_key");
        string text = key is null ? "" : string.Concat(key.Arguments);
        bool hasQuery = text.Contains("$request_uri", StringComparison.Ordinal)
            || text.Contains("$args", StringComparison.Ordinal)
                || text.Contains("$query_string", StringComparison.Ordinal);
        if (!hasQuery)
        {
            yield return new Finding(
                "cache-key",
                (key ?? cache).Place,
                key is null
                    ? $"there is no {point.Directive("cache_key")}, so every page is cached under one key: all " +
                    "clients get the first."
                    : $"the key '{text}' has no query, so /orders?page=1 is answered with the page of any other.",
                $"Write {point.Directive("cache_key")} $request_method{SchemeOf(point)}{HostOf(point)}$request_uri;");
        }

        NginxDirective? ignored = point.Find("ignore_headers");
        if (ignored?.Arguments.Any(IsSetCookie) == true
            && !point.Scope.FindAll(point.Directive("hide_header")).Any(
                static header => IsSetCookie(header.Argument(0))))
        {
            yield return new Finding(
                "cached-cookie",
                ignored.Place,
                "responses with Set-Cookie are cached, so a client gets the session of another.",
                $"Remove Set-Cookie from {ignored.Name}.");
        }
    }

    /// <summary>What the application makes its links of: a page with https links is no page for http.</summary>
    private static string SchemeOf(PassPoint point) =>
        point.ValueOf("HTTPS") is ['$', ..] value && !value.StartsWith("$http_", StringComparison.Ordinal)
            && value != "$https"
                ? value
                : "$scheme";

    private static string HostOf(PassPoint point) => point.ValueOf("HTTP_HOST") ?? "$http_host";

    private static bool IsSetCookie(string header) => header.Equals("Set-Cookie", StringComparison.OrdinalIgnoreCase);
}
