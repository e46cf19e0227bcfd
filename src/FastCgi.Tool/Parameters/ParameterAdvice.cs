namespace FastCgi.Tool.Parameters;

/// <summary>Mistakes in the params of a request, and the web server settings that correct them.</summary>
internal static class ParameterAdvice
{
    private static readonly string[] s_required =
    [
        "REQUEST_METHOD", "REQUEST_URI", "SERVER_PROTOCOL", "REMOTE_ADDR", "SERVER_PORT",
    ];

    public static IEnumerable<string> For(CapturedRequest request)
    {
        string[] missing = [.. s_required.Where(name => request.Find(name) is null)];
        if (missing.Length > 0)
        {
            yield return $"{string.Join(", ", missing)} is missing. In nginx: include fastcgi_params; in the " +
                "location of fastcgi_pass.";
        }

        if (HasLostPort(request))
        {
            yield return $"HTTP_HOST '{request.Find("HTTP_HOST")}' has no port, and the web server listens on " +
                $"{request.Find("SERVER_PORT")}: if clients use that port, absolute URLs are wrong. In nginx: " +
                "fastcgi_param HTTP_HOST $host$host_port; below include fastcgi_params, and in http { } " +
                $"{NginxGrammar.HostPortMap}";
        }

        if (request.Find("REMOTE_USER") is { Length: > 0 } user && string.IsNullOrEmpty(request.Find("AUTH_TYPE"))
            && request.Find("HTTP_AUTHORIZATION") is not null)
        {
            yield return $"REMOTE_USER '{user}' comes with a header Authorization, and nothing says that the web " +
                "server checked it. In nginx: fastcgi_param REMOTE_USER \"\"; unless auth_basic protects the location.";
        }

        if (request.Find("HTTP_PROXY") is not null)
        {
            yield return "HTTP_PROXY comes from the client. This server ignores it; other programs do not. In nginx: " +
                "fastcgi_param HTTP_PROXY \"\";";
        }

        if (request.Find("HTTP_X_FORWARDED_PROTO") == "https" && request.Find("HTTPS") is null or "" or "off")
        {
            yield return "X-Forwarded-Proto says https and HTTPS is not set, so the application makes http URLs. " +
                "Behind a trusted balancer, in nginx: fastcgi_param HTTPS $client_https if_not_empty; " +
                NginxGrammar.MapsOfBalancer;
        }
    }

    private static bool HasLostPort(CapturedRequest request) =>
        request.Find("HTTP_HOST") is { Length: > 0 } host
        && !host.AsSpan(host.LastIndexOf(']') + 1).Contains(':')
        && request.Find("SERVER_PORT") is { Length: > 0 } and not ("80" or "443")
        && request.Find("SERVER_SOFTWARE")?.StartsWith("nginx", StringComparison.Ordinal) == true;
}
