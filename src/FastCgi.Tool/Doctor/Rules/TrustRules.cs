namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Facts about the client that the client itself can choose.</summary>
internal static class TrustRules
{
    private static readonly string[] s_facts =
    [
        "REMOTE_ADDR", "REMOTE_USER", "HTTPS", "REQUEST_SCHEME", "SERVER_PORT", "HTTP_HOST", "SSL_CLIENT_VERIFY",
        "SSL_CLIENT_CERT",
    ];

    /// <summary>Headers, cookies and arguments of the query.</summary>
    private static readonly string[] s_ofClient = ["$http_", "$cookie_", "$arg_"];

    private static readonly string[] s_protections = ["auth_basic", "auth_request", "deny", "ssl_verify_client"];

    public static IEnumerable<Finding> Check(PassPoint point, DoctorContext context)
    {
        foreach (NginxDirective parameter in s_facts.Select(point.Parameter).OfType<NginxDirective>())
        {
            (string name, string value) = (parameter.Argument(0), parameter.Argument(1));
            string? mapped = name == "HTTP_HOST" ? null : point.SourceOf(value);
            if (IsForged(name, mapped ?? value, mapped is not null))
            {
                yield return new Finding(
                    "forged-fact",
                    parameter.Place,
                    $"{name} is '{value}', {(mapped is null ? "" : $"made of {mapped}, ")}which any client can send: " +
                    "the client decides what the application trusts.",
                    name is "HTTPS" or "REQUEST_SCHEME"
                        ? "Believe the balancer alone, by the maps of docs/behind-a-proxy.md."
                        : $"Write {point.Directive("param")} {name} {FactOf(name)}");
            }
        }

        foreach (Finding finding in CheckUser(point).Concat(CheckNetwork(point)).Concat(CheckProtection(point)))
        {
            yield return finding;
        }

        NginxDirective? underscores =
            point.Scope.Find("underscores_in_headers") is { } allowed && allowed.Argument(0) == "on" ? allowed
            : point.Scope.Find("ignore_invalid_headers") is { } ignored && ignored.Argument(0) == "off" ? ignored
            : null;
        if (underscores is not null)
        {
            yield return new Finding(
                "underscores",
                underscores.Place,
                "X_Real_Ip and X-Real-Ip become the same param, so a client gets past a rule about either name.",
                $"Remove {underscores}, and send headers with hyphens.");
        }
    }

    /// <summary>True for a value that causes another finding: client-host, https-value.</summary>
    private static bool HasOwnRule(string name, string value) =>
        value == "$http_host" || (name == "HTTPS" && value == "$http_x_forwarded_proto");

    private static bool IsForged(string name, string value, bool isMapped) =>
        value == "$proxy_add_x_forwarded_for"
        || (s_ofClient.Any(prefix => value.StartsWith(prefix, StringComparison.Ordinal))
            && (isMapped || !HasOwnRule(name, value)));

    /// <summary>The value that nginx itself guarantees, with the related settings.</summary>
    private static string FactOf(string name) => name switch
    {
        "REMOTE_ADDR" => "$remote_addr; behind a balancer add set_real_ip_from with its address.",
        "REMOTE_USER" => "\"\"; or $remote_user beside auth_basic.",
        "HTTP_HOST" => $"$host$host_port; In http {{ }}: {NginxGrammar.HostPortMap}",
        "SSL_CLIENT_CERT" => "$ssl_client_escaped_cert;",
        _ => $"${name.ToLowerInvariant()};",
    };

    private static IEnumerable<Finding> CheckUser(PassPoint point)
    {
        if (point.IsAspNetCore && point.Parameter("REMOTE_USER") is { } user && user.Argument(1) == "$remote_user"
            && WhyUnverified(point.Scope) is { } reason)
        {
            yield return new Finding(
                "unverified-user",
                point.PlaceOf(user),
                $"REMOTE_USER is the name in the client's Authorization header, and {reason}.",
                point.CorrectionOf("REMOTE_USER", "\"\""));
        }
    }

    /// <summary>The reason why nginx accepts the name without a password; null if it asks for one.</summary>
    private static string? WhyUnverified(NginxScope scope)
    {
        NginxDirective? basic = scope.Find("auth_basic");
        if (basic is null ? !scope.IsIncomplete : basic.Argument(0) == "off")
        {
            return "no auth_basic checks it";
        }

        // An inner deny cancels all outer allow lines.
        NginxScope? access = scope.Chain.FirstOrDefault(static scope =>
            scope.Block.All("allow").Concat(scope.Block.All("deny")).Any());
        bool hasOtherWay = access?.Block.All("allow").Any() == true
            || scope.Find("auth_request") is { } request && request.Argument(0) != "off";
        return hasOtherWay && scope.Find("satisfy")?.Argument(0) == "any"
            ? "by satisfy any a request can come in without the password that auth_basic asks for"
            : null;
    }

    private static IEnumerable<Finding> CheckNetwork(PassPoint point)
    {
        foreach (NginxDirective from in point.Scope.FindAll("set_real_ip_from")
            .Where(static from => from.Argument(0) is "0.0.0.0/0" or "::/0"))
        {
            yield return new Finding(
                "real-ip-from-everybody",
                from.Place,
                $"set_real_ip_from {from.Argument(0)} believes every client what it says of its address.",
                "Name the addresses of your balancer.");
        }
    }

    /// <summary>Finds a path that nginx guards, but that the application also serves under another spelling.</summary>
    private static IEnumerable<Finding> CheckProtection(PassPoint point)
    {
        if (point.Location is not { Arguments: [var first, ..] } location || first is "~*" or "/"
            || point.Parameter("AUTH_TYPE") is not null || point.IsInternal)
        {
            yield break;
        }

        NginxDirective? guard = s_protections.SelectMany(location.All).FirstOrDefault(
            static guard => guard.Argument(0) != "off");
        if (guard is not null && OpenSibling(point, guard) is { } sibling)
        {
            yield return new Finding(
                "guarded-path",
                location.Place,
                $"{guard.Name} guards '{string.Join(' ', location.Arguments)}' by its spelling, and the application " +
                $"also gets requests from '{string.Join(' ', sibling.Arguments)}' " +
                $"({sibling.Place.From(location.Place)}): it answers /ADMIN as /admin, without the guard.",
                "Let the application authorize (RequireAuthorization), or guard all of the application.");
        }
    }

    /// <summary>The location for all paths, if it leads to the same application without the guard.</summary>
    private static NginxDirective? OpenSibling(PassPoint point, NginxDirective guard) =>
        point.Server?.Block.All("location").FirstOrDefault(other =>
            other.Arguments is ["/"] or ["^~", "/"]
            && other.All(point.Pass.Name).Any(pass => pass.Argument(0) == point.Pass.Argument(0))
            && !other.All(guard.Name).Any());
}
