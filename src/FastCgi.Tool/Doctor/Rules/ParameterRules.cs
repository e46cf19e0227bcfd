namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Params that are missing, or whose value the application would misinterpret.</summary>
internal static class ParameterRules
{
    /// <summary>nginx always sends it to an SCGI application.</summary>
    private const string LengthName = "CONTENT_LENGTH";

    private const string HostName = "HTTP_HOST";
    private const string QueryName = "QUERY_STRING";

    private static readonly string[] s_needed =
    [
        "REQUEST_METHOD", "REQUEST_URI", QueryName, "CONTENT_TYPE", LengthName, "SERVER_PROTOCOL",
        "REMOTE_ADDR", "SERVER_PORT",
    ];

    /// <summary>Params with the path that nginx asks for. The server refuses a request without any of them.</summary>
    private static readonly string[] s_locating = ["DOCUMENT_URI", "SCRIPT_NAME", "PATH_INFO"];

    /// <summary>Params that differ from request to request.</summary>
    private static readonly string[] s_facts =
        ["REQUEST_METHOD", "REMOTE_ADDR", "CONTENT_TYPE", LengthName, QueryName];

    private static readonly string[] s_usualPorts = ["80", "443"];

    public static IEnumerable<Finding> Check(PassPoint point, DoctorContext context)
    {
        string[] missing = [
            .. s_needed.Concat(point is { IsPhp: true, TakesScripts: true } ? ["SCRIPT_FILENAME"] : [])
                .Where(name => point.Parameter(name) is null && !(point.IsScgi && name == LengthName)),
            .. point.IsAspNetCore && !s_locating.Any(name => point.ValueOf(name) is { Length: > 0 })
                ? s_locating[..1]
                : [],
        ];
        if (missing.Length > 0)
        {
            // A file that is missing or unreadable may contain them.
            if (!point.Scope.IsIncomplete)
            {
                yield return Missing(point, missing);
            }

            yield break;
        }

        foreach (Finding finding in CheckTarget(point).Concat(CheckScheme(point)).Concat(CheckHost(point))
            .Concat(CheckConstants(point)))
        {
            yield return finding;
        }
    }

    private static Finding Missing(PassPoint point, string[] missing)
    {
        string param = point.Directive("param");
        NginxScope? inner = point.Scope.Chain.FirstOrDefault(scope => scope.Block.All(param).Any());
        NginxDirective[] cancelled = [.. (inner?.Outer?.FindAll(param) ?? [])
            .Where(parameter => missing.Contains(parameter.Argument(0)))];
        return cancelled.Length > 0
            ? new Finding(
                "params-cancelled",
                point.Parameters[0].Place,
                $"{param} in this block cancels those of the blocks around it " +
                $"({cancelled[0].Place.From(point.Parameters[0].Place)}), so {string.Join(", ", missing)} are not " +
                "sent.",
                $"Add include {param}s; above this line.")
            : new Finding(
                "params-missing",
                point.Pass.Place,
                $"{string.Join(", ", missing)} {(missing.Length == 1 ? "is" : "are")} not sent: the application " +
                "cannot tell what is asked for.",
                missing is ["SCRIPT_FILENAME"] ? $"Add {param} SCRIPT_FILENAME $document_root$fastcgi_script_name;"
                    : missing is ["DOCUMENT_URI"] ? $"Add {param} DOCUMENT_URI $document_uri;"
                    : $"Add include {param}s; beside {point.Pass.Name}.");
    }

    private static IEnumerable<Finding> CheckTarget(PassPoint point)
    {
        string target = point.ValueOf("REQUEST_URI")!;
        if (target != "$request_uri")
        {
            yield return new Finding(
                "decoded-target",
                point.Parameter("REQUEST_URI")!.Place,
                $"REQUEST_URI is '{target}', and the application decodes it: the query, %2F and %25 are lost.",
                $"Write {point.Directive("param")} REQUEST_URI $request_uri;");
        }
    }

    private static IEnumerable<Finding> CheckConstants(PassPoint point)
    {
        // Without a length, the body is what comes.
        foreach (NginxDirective parameter in s_facts.Select(point.Parameter).OfType<NginxDirective>()
            .Where(parameter => !point.IsInternal && parameter.Arguments is not [LengthName, ""]
                && (point.IsAspNetCore || parameter.Argument(0) != QueryName)))
        {
            string name = parameter.Argument(0);
            if (!parameter.Argument(1).Contains('$', StringComparison.Ordinal))
            {
                yield return new Finding(
                    "constant-fact",
                    parameter.Place,
                    $"{name} is '{parameter.Argument(1)}' for every request, whatever the client sends.",
                    $"Write {point.Directive("param")} {name} ${name.ToLowerInvariant()};");
            }
        }
    }

    private static IEnumerable<Finding> CheckHost(PassPoint point)
    {
        if (!point.IsAspNetCore)
        {
            yield break;
        }

        NginxDirective? host = point.Parameter(HostName);
        string? port = UnusualPort(point);
        string remedy =
            $"{point.CorrectionOf(HostName, "$host$host_port")} In http {{ }}: {NginxGrammar.HostPortMap}";
        if (host?.Argument(1) == "$host" && port is not null)
        {
            yield return new Finding(
                "host-port",
                point.PlaceOf(host),
                $"{HostName} is $host, which loses the port {port} of this server: absolute URLs and redirects are " +
                "wrong.",
                remedy);
        }
        else if (host is not null && CannotBeHost(point, host.Argument(1)) is { } reason)
        {
            yield return new Finding(
                "wrong-host",
                point.PlaceOf(host),
                $"{HostName} is '{host.Argument(1)}', {reason.Text}: absolute URLs and redirects are wrong" +
                (reason.IsMeant ? " if clients use another name." : "."),
                remedy) { IsHint = reason.IsMeant };
        }
        else if (host is null
            ? PassesHeaders(point) && !point.Scope.IsIncomplete
            : host.Argument(1) == "$http_host")
        {
            yield return new Finding(
                "client-host",
                host is null ? point.Pass.Place : point.PlaceOf(host),
                $"{HostName} is the client's own Host header. nginx does not choose by it where the request line " +
                "names another host, so a client can reach this application under any name, and a cache can keep " +
                "its links.",
                remedy);
        }
    }

    /// <summary>
    /// The reason why a value is not the host that the client asked for; null if it may be. The only name of a server
    /// may be intended, and also a literal name, for a CDN that asks for another one.
    /// </summary>
    private static (string Text, bool IsMeant)? CannotBeHost(PassPoint point, string value)
    {
        string[] names = [.. (point.Server?.Block.All("server_name") ?? []).SelectMany(static line => line.Arguments)];
        bool isOnly = names is [var name] && name.Length > 1 && name[0] is not ('~' or '.')
            && !name.Contains('*', StringComparison.Ordinal) && !name.Contains('$', StringComparison.Ordinal);
        return value switch
        {
            "" or "$proxy_host" => ("so the application does not know the host", false),
            "$server_name" =>
                ("one name of this server, whatever the client has asked for", isOnly || point.Server is null),
            "$hostname" or "$server_addr" => ("of this machine, whatever the client has asked for", false),
            _ when value.Contains('$', StringComparison.Ordinal) => null,
            _ => ("whatever the client has asked for", true),
        };
    }

    /// <summary>nginx turns each header into a param.</summary>
    private static bool PassesHeaders(PassPoint point) =>
        point.Find("pass_request_headers")?.Argument(0) != "off";

    private static IEnumerable<Finding> CheckScheme(PassPoint point)
    {
        if (point.Parameter("HTTPS") is not { } https)
        {
            yield break;
        }

        string value = https.Argument(1);
        if (value is "$scheme" or "$http_x_forwarded_proto" or "https" or "true")
        {
            yield return new Finding(
                "https-value",
                https.Place,
                $"HTTPS is '{value}', and applications read on: they take requests for http, and redirect without end.",
                $"Write {point.Directive("param")} HTTPS $https if_not_empty; behind a balancer " +
                $"HTTPS $client_https if_not_empty; {NginxGrammar.MapsOfBalancer}");
        }
        else if (value == "$https" && point.IsAspNetCore && Balancer(point) is { } balancer && !IsEncrypted(point))
        {
            yield return new Finding(
                "https-behind-balancer",
                balancer.Place,
                "a balancer stands in front (set_real_ip_from), this server takes no TLS, and HTTPS is nginx's own " +
                "$https: https requests look like http.",
                $"Add {point.Directive("param")} HTTPS $client_https if_not_empty; to the location, " +
                NginxGrammar.MapsOfBalancer);
        }
    }

    private static NginxDirective? Balancer(PassPoint point) => point.Scope.Find("set_real_ip_from");

    private static bool IsEncrypted(PassPoint point) =>
        point.Server?.Block.All("listen").Any(static listen => listen.Arguments.Contains("ssl")) == true;

    /// <summary>A port of the server that browsers include in Host; null if there is none.</summary>
    private static string? UnusualPort(PassPoint point) => point.Server?.Block.All("listen")
        .Select(static listen => listen.Argument(0))
        .Where(static address => !address.StartsWith("unix:", StringComparison.Ordinal))
        .Select(PortOf)
        .FirstOrDefault(static port => !s_usualPorts.Contains(port));

    private static string PortOf(string address)
    {
        string port = address[(address.LastIndexOf(':') + 1)..];
        return port.Length > 0 && port.All(char.IsAsciiDigit) ? port : "80";
    }
}
