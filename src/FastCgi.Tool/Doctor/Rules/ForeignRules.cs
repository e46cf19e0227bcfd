namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Lines for another module than the one that passes on the requests, with their equivalents.</summary>
internal static class ForeignRules
{
    /// <summary>The headers of a WebSocket's handshake (RFC 6455, section 4.2.1).</summary>
    private static readonly string[] s_handshake =
        ["HTTP_UPGRADE", "HTTP_CONNECTION", "HTTP_SEC_WEBSOCKET_KEY", "HTTP_SEC_WEBSOCKET_VERSION"];

    /// <summary>The modules of nginx that pass on requests.</summary>
    private static readonly string[] s_modules = ["proxy_", "fastcgi_", "scgi_", "uwsgi_", "grpc_"];

    /// <summary>Directives of these modules, without the prefix, whose absence does not change a response.</summary>
    private static readonly string[] s_harmless =
    [
        "http_version", "buffers", "buffer_size", "busy_buffers_size", "connect_timeout", "headers_hash_bucket_size",
        "headers_hash_max_size", "ssl_protocols", "ssl_ciphers", "ssl_session_reuse", "ssl_server_name", "ssl_name",
        "bind", "socket_keepalive", "temp_path", "cache_path", "cache_lock", "cache_lock_timeout", "cache_lock_age",
        "max_temp_file_size", "temp_file_write_size", "index", "send_lowat", "keep_conn", "redirect", "buffering",
    ];

    public static IEnumerable<Finding> Check(PassPoint point, DoctorContext context) =>
        FindForeign(point).Concat(CheckHandshake(point));

    private static IEnumerable<Finding> FindForeign(PassPoint point)
    {
        bool isInner = true;
        foreach (NginxScope scope in point.Scope.Chain)
        {
            string[] modules = [.. s_modules.Where(module =>
                module != point.Directive("") && !scope.Block.Passes.Contains($"{module}pass"))];
            bool isUpgrade = !point.IsScgi && scope.Block.All("proxy_set_header").Any(IsUpgrade);
            // A block may have thousands of children, but few names.
            foreach ((NginxDirective line, string module) in
                from named in scope.Block.Names
                from module in modules
                where named.StartsWith(module, StringComparison.Ordinal)
                from line in scope.Block.All(named)
                select (line, module))
            {
                string name = line.Name[module.Length..];
                if (isUpgrade && isInner
                    && (name == "http_version" || line.Argument(0) is "Connection" or "connection"))
                {
                    // One finding explains all three lines.
                    continue;
                }

                yield return isUpgrade && IsUpgrade(line)
                    ? NoUpgrade(line)
                    : new Finding(
                        "proxy-directive",
                        line.Place,
                        $"{line.Name} is for {module}pass and does nothing for {point.Pass.Name}.",
                        Counterpart(point, line, name))
                    {
                        IsHint = s_harmless.Contains(name) || !point.IsAspNetCore || IsSent(point, line, name)
                            || scope.Block.Name is "http" or "",
                    };
            }

            isInner = false;
        }
    }

    private static IEnumerable<Finding> CheckHandshake(PassPoint point)
    {
        if (!point.IsScgi && point.Parameters.FirstOrDefault(static parameter =>
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
    }

    /// <summary>True for a header that a param sends with the same value.</summary>
    private static bool IsSent(PassPoint point, NginxDirective line, string name) =>
        name == "set_header" && point.ValueOf(ParameterOf(line)) == line.Argument(1);

    private static string ParameterOf(NginxDirective header) =>
        $"HTTP_{header.Argument(0).ToUpperInvariant().Replace('-', '_')}";

    private static bool IsUpgrade(NginxDirective line) => line.Name == "proxy_set_header"
        && line.Argument(0).Equals("Upgrade", StringComparison.OrdinalIgnoreCase);

    private static Finding NoUpgrade(NginxDirective directive) => new(
        "websocket",
        directive.Place,
        "nginx cannot upgrade a connection through fastcgi_pass: every WebSocket fails.",
        "Give the location scgi_pass to an SCGI endpoint of the application (docs/websockets.md).");

    private static string Counterpart(PassPoint point, NginxDirective line, string name)
    {
        string param = point.Directive("param");
        string own = point.Directive(name);
        return name switch
        {
            "set_header" when point.IsScgi && line.Argument(0) is "Upgrade" or "Connection" =>
                "Remove the line: scgi_pass passes the upgrade on by itself.",
            "set_header" when line.Argument(0).Equals("Host", StringComparison.OrdinalIgnoreCase) =>
                $"Write {param} HTTP_HOST $host$host_port; below include {param}s; In http {{ }}: " +
                NginxGrammar.HostPortMap,
            "set_header" when IsFact(line.Argument(0)) =>
                $"Remove the line: include {param}s; sends the client's address, the scheme and the port.",
            "set_header" =>
                $"Write {param} {ParameterOf(line)} {(line.Argument(1) is { Length: > 0 } value ? value : "\"\"")}; " +
                "or remove the line.",
            "param" => $"Write {param} {string.Join(' ', line.Arguments)};",
            "method" => $"Write {param} REQUEST_METHOD {line.Argument(0)};",
            "redirect" => "Remove the line: the application makes its URLs of the host and the scheme that it is sent.",
            "cookie_path" or "cookie_domain" or "cookie_flags" =>
                "Set path, domain and flags of the cookie in the application (CookieOptions).",
            "cache_convert_head" => $"Begin {point.Directive("cache_key")} with $request_method instead.",
            _ when name.StartsWith("ssl_", StringComparison.Ordinal) =>
                $"Remove the line: {point.Pass.Name} has no TLS. Use a unix socket, or a network of your own.",
            _ when NginxGrammar.IsKnown(own) => $"Write {own} {string.Join(' ', line.Arguments)};".Replace(" ;", ";"),
            _ => $"Remove the line: there is nothing like it for {point.Pass.Name}.",
        };
    }

    private static bool IsFact(string header) =>
        header.StartsWith("X-Forwarded-", StringComparison.OrdinalIgnoreCase)
        || header.Equals("X-Real-IP", StringComparison.OrdinalIgnoreCase)
        || header.Equals("Forwarded", StringComparison.OrdinalIgnoreCase);
}
