using FastCgi.Tool.Nginx;

namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Directives that do something else in a location of fastcgi_pass than their author wanted.</summary>
internal static class LocationRules
{
    public static IEnumerable<Finding> Check(PassPoint point, DoctorContext context)
    {
        NginxDirective? tried = point.Scope.Block.All("try_files").FirstOrDefault();
        if (tried?.Arguments is [.., ['=', ..]] && !point.IsPhp && !IsRegex(point.Location))
        {
            yield return new Finding(
                "try-files",
                tried.Place,
                $"try_files answers {tried.Arguments[^1][1..]} where there is no such file, so no route of the " +
                "application is ever asked.",
                "Let try_files end with @app, and move fastcgi_pass to location @app { }; or remove try_files.");
        }

        if (!point.Scope.Block.All("proxy_pass").Any()
            && point.Scope.Block.Children!.FirstOrDefault(IsProxyDirective) is { } proxy)
        {
            bool isUpgrade = IsUpgrade(point.Scope.Block);
            yield return isUpgrade
                ? WebSocket(proxy)
                : new Finding(
                    "proxy-directive",
                    proxy.Place,
                    $"{proxy.Name} is for proxy_pass and does nothing for fastcgi_pass.",
                    Counterpart(proxy));
        }
        else if (point.Parameters.FirstOrDefault(static parameter => parameter.Argument(0) is "HTTP_UPGRADE"
            && parameter.Argument(1).Length > 0) is { } upgrade)
        {
            yield return WebSocket(upgrade);
        }

        foreach (Finding finding in CheckRequest(point))
        {
            yield return finding;
        }
    }

    private static IEnumerable<Finding> CheckRequest(PassPoint point)
    {
        if (point.Scope.Find("fastcgi_pass_request_headers") is { } headers && headers.Argument(0) == "off")
        {
            yield return new Finding(
                "headers-off",
                headers.Place,
                "fastcgi_pass_request_headers off keeps every header of the client from the application, cookies too.",
                "Remove the line.");
        }

        if (point.Scope.Find("fastcgi_pass_request_body") is { } body && body.Argument(0) == "off" && !point.IsInternal)
        {
            yield return new Finding(
                "body-off",
                body.Place,
                "fastcgi_pass_request_body off keeps every body from the application; CONTENT_LENGTH announces it " +
                "still.",
                "Remove the line. It belongs into an internal location for auth_request.");
        }
    }

    private static bool IsRegex(NginxDirective? location) => location?.Argument(0) is "~" or "~*";

    /// <summary>proxy_ directives that speak of a request or a response, not of nginx's own sockets.</summary>
    private static bool IsProxyDirective(NginxDirective directive) =>
        directive.Name.StartsWith("proxy_", StringComparison.Ordinal) && directive.Name != "proxy_pass";

    private static bool IsUpgrade(NginxDirective block) => block.All("proxy_set_header")
        .Any(static header => header.Argument(0).Equals("Upgrade", StringComparison.OrdinalIgnoreCase));

    private static Finding WebSocket(NginxDirective directive) => new(
        "websocket",
        directive.Place,
        "nginx cannot upgrade a connection through fastcgi_pass: every WebSocket fails.",
        "Give the location scgi_pass to an SCGI endpoint of the application (docs/websockets.md).");

    private static string Counterpart(NginxDirective proxy) => proxy.Name switch
    {
        "proxy_set_header" =>
            $"Write fastcgi_param HTTP_{proxy.Argument(0).ToUpperInvariant().Replace('-', '_')} " +
            $"{proxy.Argument(1)}; or " +
            "remove the line: include fastcgi_params sends the facts.",
        "proxy_http_version" => "Remove the line.",
        _ => $"Write fastcgi_{proxy.Name["proxy_".Length..]}.",
    };
}
