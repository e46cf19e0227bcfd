using FastCgi.Tool.Nginx;

namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Directives that do something else in a location of the application than their author wanted.</summary>
internal static class LocationRules
{
    /// <summary>The headers of a WebSocket's handshake (RFC 6455, section 4.2.1).</summary>
    private static readonly string[] s_handshake =
        ["HTTP_UPGRADE", "HTTP_CONNECTION", "HTTP_SEC_WEBSOCKET_KEY", "HTTP_SEC_WEBSOCKET_VERSION"];

    /// <summary>The modules of nginx that pass requests on.</summary>
    private static readonly string[] s_modules = ["proxy_", "fastcgi_", "scgi_", "uwsgi_"];

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

        if (FindForeign(point) is { } foreign)
        {
            yield return !point.IsScgi && IsUpgrade(point.Scope.Block)
                ? NoUpgrade(foreign)
                : new Finding(
                    "proxy-directive",
                    foreign.Place,
                    $"{foreign.Name} is for {PassOf(foreign)} and does nothing for {point.Pass.Name}.",
                    Counterpart(point, foreign));
        }
        else if (!point.IsScgi && point.Parameters.FirstOrDefault(static parameter =>
            parameter.Argument(0) is "HTTP_UPGRADE" && parameter.Argument(1).Length > 0) is { } upgrade)
        {
            yield return NoUpgrade(upgrade);
        }
        else if (point.IsScgi && point.Parameters.FirstOrDefault(static parameter =>
            s_handshake.Contains(parameter.Argument(0)) && parameter.Argument(1).Length == 0) is { } removed)
        {
            yield return new Finding(
                "websocket",
                removed.Place,
                $"{removed.Argument(0)} is empty, so the application sees no upgrade: every WebSocket fails.",
                "Remove the line: nginx sends the client's headers.");
        }

        foreach (Finding finding in CheckRequest(point).Concat(CheckLength(point)))
        {
            yield return finding;
        }
    }

    private static IEnumerable<Finding> CheckRequest(PassPoint point)
    {
        if (point.Find("pass_request_headers") is { } headers && headers.Argument(0) == "off")
        {
            yield return new Finding(
                "headers-off",
                headers.Place,
                $"{headers.Name} off keeps every header of the client from the application, cookies too.",
                "Remove the line.");
        }

        if (point.Find("pass_request_body") is { } body && body.Argument(0) == "off" && !point.IsInternal)
        {
            yield return new Finding(
                "body-off",
                body.Place,
                $"{body.Name} off keeps every body from the application; CONTENT_LENGTH announces it " +
                "still.",
                "Remove the line. It belongs into an internal location for auth_request.");
        }
    }

    private static IEnumerable<Finding> CheckLength(PassPoint point)
    {
        if (point.IsScgi && point.Find("request_buffering") is { } buffering && buffering.Argument(0) == "off")
        {
            yield return new Finding(
                "scgi-unbuffered",
                buffering.Place,
                "with scgi_request_buffering off nginx announces as much of a body as it has at that moment: uploads " +
                "are cut, or fail with 500.",
                "Remove the line.");
        }
    }

    private static bool IsRegex(NginxDirective? location) => location?.Argument(0) is "~" or "~*";

    /// <summary>A directive of another module, in a block that passes nothing to that module.</summary>
    private static NginxDirective? FindForeign(PassPoint point)
    {
        NginxDirective block = point.Scope.Block;
        string[] foreign = [.. s_modules.Where(module =>
            module != point.Directive("") && !block.All($"{module}pass").Any())];
        return block.Children!.FirstOrDefault(directive =>
            foreign.Any(module => directive.Name.StartsWith(module, StringComparison.Ordinal)));
    }

    private static string PassOf(NginxDirective directive) => $"{directive.Name.Split('_')[0]}_pass";

    private static bool IsUpgrade(NginxDirective block) => block.All("proxy_set_header")
        .Any(static header => header.Argument(0).Equals("Upgrade", StringComparison.OrdinalIgnoreCase));

    private static Finding NoUpgrade(NginxDirective directive) => new(
        "websocket",
        directive.Place,
        "nginx cannot upgrade a connection through fastcgi_pass: every WebSocket fails.",
        "Give the location scgi_pass to an SCGI endpoint of the application (docs/websockets.md).");

    private static string Counterpart(PassPoint point, NginxDirective foreign) => foreign.Name switch
    {
        "proxy_set_header" when point.IsScgi && foreign.Argument(0) is "Upgrade" or "Connection" =>
            "Remove the line: scgi_pass passes the upgrade on by itself.",
        "proxy_set_header" =>
            $"Write {point.Directive("param")} HTTP_{foreign.Argument(0).ToUpperInvariant().Replace('-', '_')} " +
            $"{foreign.Argument(1)}; or remove the line: include {point.Directive("params")} sends the facts.",
        "proxy_http_version" => "Remove the line.",
        _ => $"Write {point.Protocol}{foreign.Name[foreign.Name.IndexOf('_', StringComparison.Ordinal)..]}.",
    };
}
