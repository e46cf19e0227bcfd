namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Mistakes between nginx and the address of the application.</summary>
internal static class UpstreamRules
{
    private static readonly string[] s_methods = ["least_conn", "ip_hash", "hash", "random"];

    public static IEnumerable<Finding> Check(PassPoint point, DoctorContext context)
    {
        if (point.Pass.Argument(0).Contains("://", StringComparison.Ordinal))
        {
            yield return new Finding(
                "pass-url",
                point.Pass.Place,
                $"{point.Pass.Name} takes an address, and '{point.Pass.Argument(0)}' is a URL. nginx does not start.",
                $"Write {point.Pass.Name} unix:/run/app/app.sock; or the port of the application without http://.");
            yield break;
        }

        if (point.MapWithoutDefault is { } map)
        {
            yield return new Finding(
                "map-default",
                map.Place,
                $"{point.Pass} gets its address of this map, which has no default: every other request is a 500.",
                "Add default with the upstream of most requests.");
        }

        foreach (Finding finding in CheckAddress(point))
        {
            yield return finding;
        }

        // SCGI has one request per connection.
        foreach (Finding finding in (point.IsScgi ? [] : CheckKeepalive(point)).Concat(CheckProbe(point, context)))
        {
            yield return finding;
        }

        NginxDirective? retries = point.Find("next_upstream");
        if (retries?.Arguments.Contains("non_idempotent") == true)
        {
            yield return new Finding(
                "repeated-post",
                retries.Place,
                "nginx sends a POST to the next instance after a failure, so an order can be made twice.",
                "Remove non_idempotent.");
        }
    }

    private static IEnumerable<Finding> CheckAddress(PassPoint point)
    {
        const string Remedy = "Write unix:/run/app/app.sock, or the port of the application.";

        foreach ((string address, NginxPlace place) in point.Addresses.Where(static named => !HasPort(named.Address)))
        {
            bool isWhole = point.Scope.Root.Block.All("http").Any() && !point.Scope.IsIncomplete;
            yield return point.Upstream is not null
                ? new Finding(
                    "no-port",
                    place,
                    $"the server {address} has no port, and nginx takes 80, where a web server listens: every " +
                    "request fails.",
                    Remedy)
                : isWhole
                    ? new Finding(
                        "syntax",
                        place,
                        $"'{address}' is no upstream of this configuration, and has no port. nginx does not start.",
                        $"Add upstream {address} {{ }} to http {{ }}, or the port.")
                    : new Finding(
                        "no-upstream",
                        place,
                        $"no file that was read has the upstream {address}, so its servers are not checked.",
                        "Check nginx.conf, or pipe nginx -T into fcgi doctor -.") { IsHint = true };
        }
    }

    private static bool HasPort(string address) => address.StartsWith("unix:", StringComparison.Ordinal)
        || address.Contains("://", StringComparison.Ordinal)
        || address[(address.LastIndexOf(']') + 1)..].Contains(':', StringComparison.Ordinal);

    private static IEnumerable<Finding> CheckKeepalive(PassPoint point)
    {
        NginxDirective? keepalive = point.Upstream?.All("keepalive").FirstOrDefault();
        bool keeps = point.Scope.IsOn("fastcgi_keep_conn");
        if (point.Upstream is { Children: { } children } && keepalive is not null)
        {
            NginxDirective? late = children.SkipWhile(child => child != keepalive)
                .FirstOrDefault(static child => s_methods.Contains(child.Name));
            if (late is not null)
            {
                yield return new Finding(
                    "keepalive-order",
                    keepalive.Place,
                    $"keepalive stands before {late.Name} (line {late.Place.Line}), which switches it off: every " +
                    "request opens a connection.",
                    $"Move keepalive below {late.Name}.") { IsHint = true };
            }
        }

        if (keepalive is not null && !keeps)
        {
            yield return new Finding(
                "keepalive-without-keep-conn",
                point.Pass.Place,
                $"the upstream {point.Pass.Argument(0)} has keepalive, and this location has no fastcgi_keep_conn " +
                "on: the application closes every connection.",
                "Add fastcgi_keep_conn on; beside fastcgi_pass.") { IsHint = true };
        }

        if (keeps && keepalive is null && !point.IsVariable && point.IsAspNetCore)
        {
            yield return new Finding(
                "keep-conn-without-keepalive",
                point.Pass.Place,
                "fastcgi_keep_conn is on, and there is no upstream with keepalive: nginx before 1.29.7 keeps no " +
                "connection, and every request opens one.",
                $"Write upstream app {{ server {point.Pass.Argument(0)}; keepalive 32; }} and fastcgi_pass app;")
            {
                IsHint = true,
            };
        }
    }

    private static IEnumerable<Finding> CheckProbe(PassPoint point, DoctorContext context)
    {
        // nginx tries the next server if one refuses the connection, but not if its answer is unreadable.
        bool hasOthers = point.Addresses.Skip(1).Any();
        string requests = hasOthers ? "every request that goes there" : "every request";
        foreach ((string address, NginxPlace place) in point.Addresses)
        {
            if (!context.Applications.TryGetValue(point.EndpointOf(address), out ProbedApplication? application))
            {
                if (SocketRules.IsMissing(address))
                {
                    yield return Unreachable(point, address, place, "there is no such socket file", hasOthers);
                }

                continue;
            }

            if (application.Outcome == ProbeOutcome.Http)
            {
                yield return new Finding(
                    "http-port",
                    place,
                    $"{address} speaks HTTP, and {point.Pass.Name} speaks {Name(point.IsScgi)} to it: {requests} " +
                    "fails.",
                    $"Name the {Name(point.IsScgi)} endpoint of the application, or write proxy_pass for an HTTP " +
                    "application.");
            }
            else if (application.Outcome == ProbeOutcome.OtherProtocol)
            {
                yield return new Finding(
                    "other-protocol",
                    place,
                    $"{address} speaks {Name(!point.IsScgi)}, and {point.Pass.Name} speaks {Name(point.IsScgi)} to " +
                    $"it: {requests} is a 502.",
                    $"Name the {Name(point.IsScgi)} endpoint of the application, or write " +
                    $"{(point.IsScgi ? "fastcgi_pass" : "scgi_pass")}.");
            }
            else if (application.Outcome == ProbeOutcome.Unreachable)
            {
                yield return Unreachable(point, address, place, application.Message!, hasOthers);
            }
        }
    }

    private static Finding Unreachable(
        PassPoint point, string address, NginxPlace place, string reason, bool hasOthers) => new(
            "unreachable",
            place,
            $"{address} accepts no connection: {reason}. " + (hasOthers
                ? $"Requests go to the other servers of {point.Pass.Argument(0)}, if one of them runs."
                : "Every request is a 502."),
            "Start the application, or correct the address.");

    private static string Name(bool isScgi) => isScgi ? "SCGI" : "FastCGI";
}
