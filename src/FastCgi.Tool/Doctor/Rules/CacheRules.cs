namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Caches of nginx that give one client the response of another.</summary>
internal static class CacheRules
{
    private static readonly string[] s_clients =
        ["$http_cookie", "$cookie_", "$http_authorization", "$remote_user", "$ssl_client_"];

    public static IEnumerable<Finding> Check(PassPoint point, DoctorContext context)
    {
        if (point.Find("cache") is not { } cache || cache.Argument(0) == "off")
        {
            yield break;
        }

        NginxDirective? key = point.Find("cache_key");
        NginxDirective? ignored = point.Find("ignore_headers");
        string text = key is null ? "" : string.Concat(key.Arguments);
        bool hasQuery = text.Contains("$request_uri", StringComparison.Ordinal)
            || text.Contains("$args", StringComparison.Ordinal)
                || text.Contains("$query_string", StringComparison.Ordinal);
        bool isUnknown = key is null && point.Scope.IsIncomplete;
        if (!hasQuery && !isUnknown)
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
        else if (hasQuery && !text.Contains("$request_method", StringComparison.Ordinal)
            && point.Find("cache_methods")?.Arguments.Contains("HEAD") != false
            // The server of this project answers HEAD with X-Accel-Expires: 0, so nginx stores no such response.
            && (!point.IsAspNetCore || Names(ignored, "X-Accel-Expires")))
        {
            yield return new Finding(
                "cache-method",
                key!.Place,
                $"the key '{text}' has no method: a HEAD request stores a page without its body, and every GET gets " +
                "that page.",
                $"Write {point.Directive("cache_key")} $request_method{text};");
        }

        // Without Cache-Control and fastcgi_cache_valid, nginx knows no time for a page, and stores none.
        bool isTimed = !Names(ignored, "Cache-Control") || point.Find("cache_valid") is not null;
        if (ignored is not null && isTimed && Names(ignored, "Cache-Control") && !HasExceptions(point)
            && !NamesClient(text))
        {
            yield return new Finding(
                "cached-private",
                ignored.Place,
                "responses that the application marks as private are cached, so a client gets the page of another.",
                $"Remove Cache-Control from {ignored.Name}, or add {point.Directive("no_cache")} and " +
                $"{point.Directive("cache_bypass")} with the cookie of the session.");
        }

        if (ignored is not null && isTimed && Names(ignored, "Set-Cookie")
            && !point.Scope.FindAll(point.Directive("hide_header")).Any(
                static line => Names(line, "Set-Cookie")))
        {
            yield return new Finding(
                "cached-cookie",
                ignored.Place,
                "responses with Set-Cookie are cached, so a client gets the session of another.",
                $"Remove Set-Cookie from {ignored.Name}.") { IsHint = !point.IsAspNetCore && HasExceptions(point) };
        }
    }

    /// <summary>The scheme of the links in a page: a page with https links must not be served for http.</summary>
    private static string SchemeOf(PassPoint point) =>
        point.ValueOf("HTTPS") is ['$', ..] value && !value.StartsWith("$http_", StringComparison.Ordinal)
            && value != "$https"
                ? value
                : "$scheme";

    private static string HostOf(PassPoint point) => point.ValueOf("HTTP_HOST") ?? "$http_host";

    /// <summary>True if requests of signed-in users bypass the cache in both directions.</summary>
    private static bool HasExceptions(PassPoint point) =>
        HasException(point, "no_cache") && HasException(point, "cache_bypass");

    /// <summary>True if something else than the query of the request decides.</summary>
    private static bool HasException(PassPoint point, string name) =>
        point.Scope.FindAll(point.Directive(name)).SelectMany(static line => line.Arguments).Any(
            static argument => !argument.StartsWith("$arg", StringComparison.Ordinal));

    /// <summary>True if each client has a page of its own under the key.</summary>
    private static bool NamesClient(string key) =>
        s_clients.Any(variable => key.Contains(variable, StringComparison.Ordinal));

    private static bool Names(NginxDirective? line, string header) =>
        line?.Arguments.Contains(header, StringComparer.OrdinalIgnoreCase) == true;
}
