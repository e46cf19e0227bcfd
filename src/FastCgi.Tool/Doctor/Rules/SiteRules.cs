namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Sites that lead to no FastCGI application, or with the wrong directive.</summary>
internal static class SiteRules
{
    /// <summary>Prefixes of directives that do not choose the response.</summary>
    private static readonly string[] s_cosmetic =
    [
        "expires", "access_log", "log_not_found", "add_header", "etag", "gzip", "brotli", "default_type", "types",
        "error_log", "fastcgi_", "scgi_", "proxy_", "sendfile", "tcp_", "open_file", "charset", "client_",
        "limit_", "keepalive_",
    ];

    private static readonly string[] s_usualAddresses = ["127.0.0.1:9000", "localhost:9000", "[::1]:9000"];

    public static IEnumerable<Finding> Check(
        NginxDirective root, IReadOnlyList<PassPoint> points, DoctorContext context)
    {
        PassPoint[] own = [.. points.Where(static point => !point.IsProxy)];
        HashSet<string> known =
        [
            .. own.Select(static point => point.Target),
            .. own.SelectMany(static point => point.Addresses.Select(static named => named.Address)),
            .. context.Endpoints,
            .. own.Length == 0 ? s_usualAddresses : [],
        ];
        foreach (PassPoint point in points.Where(static point => point.IsProxy))
        {
            foreach (Finding finding in CheckProxy(point, known, context))
            {
                yield return finding;
            }
        }

        Finding[] orphans = [.. root.WithDescendants()
            .Where(static block => block is { Name: "location", Children: not null })
            .Select(CheckOrphan).OfType<Finding>()];
        foreach (Finding finding in orphans.Concat(
            own.Length > 0 ? CheckSwallowed(own) : orphans.Length == 0 ? CheckNone(root, points) : []))
        {
            yield return finding;
        }
    }

    private static IEnumerable<Finding> CheckProxy(PassPoint point, HashSet<string> known, DoctorContext context)
    {
        NginxDirective? parameter = point.Scope.Block.Children!.FirstOrDefault(static child =>
            child.Name is "fastcgi_param" or "scgi_param");
        foreach ((string address, NginxPlace place) in point.Addresses)
        {
            ProbedApplication? application = context.Applications.GetValueOrDefault(address);
            if (application?.Outcome is ProbeOutcome.Right or ProbeOutcome.OtherProtocol)
            {
                yield return WrongPass(point, $"{address} speaks " +
                    (application.Outcome == ProbeOutcome.Right ? "FastCGI" : "SCGI"));
            }
            else if (application?.Outcome == ProbeOutcome.Unreachable)
            {
                yield return new Finding(
                    "unreachable",
                    place,
                    $"{address} accepts no connection: {application.Message}. Every request is a 502.",
                    "Start the application, or correct the address.");
            }
            else if (application is null && (known.Contains(address) || known.Contains(point.Target)))
            {
                yield return WrongPass(point, $"{address} is where a FastCGI application listens");
            }
        }

        if (parameter is not null && !point.Scope.Block.Names.Any(static name => name is "fastcgi_pass" or "scgi_pass"))
        {
            string protocol = parameter.Name.Split('_')[0];
            yield return new Finding(
                "fastcgi-port",
                point.Pass.Place,
                $"proxy_pass speaks HTTP, and the location has params for {protocol}_pass, which do " +
                "nothing for it: a FastCGI application answers every request with 400.",
                $"Write {protocol}_pass {point.Target}; or remove the params if it speaks HTTP.");
        }
    }

    private static Finding WrongPass(PassPoint point, string fact) => new(
        "fastcgi-port",
        point.Pass.Place,
        $"{fact}, and proxy_pass speaks HTTP to it: every request fails with 400 or 502.",
        $"Write include fastcgi_params; and fastcgi_pass {point.Target}; or name the port that speaks HTTP.");

    /// <summary>Finds a FastCGI line in a location that passes on nothing.</summary>
    private static Finding? CheckOrphan(NginxDirective location)
    {
        bool leads = location.WithDescendants().Any(static line => line.Name.EndsWith("_pass", StringComparison.Ordinal)
            || line.Name.Contains("_by_lua", StringComparison.Ordinal) || line.Name is "return" or "include");
        NginxDirective? orphan = leads ? null : location.Children!.FirstOrDefault(static line =>
            line.Name is "fastcgi_param" or "scgi_param" or "fastcgi_index" or "fastcgi_split_path_info");
        return orphan is null ? null : new Finding(
            "no-pass",
            location.Place,
            $"'{location}' has {orphan.Name}, and nothing in it passes requests on: nginx looks for files, and " +
            "answers 404.",
            $"Add {orphan.Name.Split('_')[0]}_pass unix:/run/app/app.sock; or the address of the application.");
    }

    private static IEnumerable<Finding> CheckNone(NginxDirective root, IReadOnlyList<PassPoint> proxies)
    {
        NginxDirective[] servers = [.. root.WithDescendants()
            .Where(static block => block.Name == "server" && block.Children is not null)
            .Where(static server => !server.All("return").Any())];
        NginxDirective? place = servers.FirstOrDefault() ?? root.All("http").FirstOrDefault();
        if (place is null || root.WithDescendants().Any(static line => line.Name == "include"))
        {
            yield break;
        }

        bool passesElsewhere = proxies.Count > 0 || servers.SelectMany(static server => server.WithDescendants())
            .Any(static line => line.Name.EndsWith("_pass", StringComparison.Ordinal));
        yield return new Finding(
            "no-pass",
            proxies.Count > 0 ? proxies[0].Pass.Place : place.Place,
            passesElsewhere
                ? "nothing is passed on by FastCGI or SCGI. proxy_pass speaks HTTP, which is right for Kestrel alone."
                : "nothing is passed on by FastCGI or SCGI: nginx serves files, and no application is asked.",
            passesElsewhere
                ? "fcgi doctor --probe asks the application what it speaks."
                : "Add a location with fastcgi_pass, as fcgi config nginx writes it.")
        {
            IsHint = passesElsewhere || servers.Length == 0,
        };
    }

    /// <summary>Finds locations for files, in a server of an application, without a folder of files.</summary>
    private static IEnumerable<Finding> CheckSwallowed(PassPoint[] points)
    {
        foreach (NginxScope server in points.Where(static point => point.IsAspNetCore)
            .Select(static point => point.Server).OfType<NginxScope>().DistinctBy(static server => server.Block))
        {
            if (server.IsIncomplete || server.Find("root") is not null)
            {
                continue;
            }

            // All lines of such a location say how a file is sent, but none says which.
            foreach (NginxDirective location in server.Block.All("location").Where(static location =>
                location.Children is { } lines && location.Passes.Count == 0
                && lines.All(static line =>
                    s_cosmetic.Any(name => line.Name.StartsWith(name, StringComparison.Ordinal)))))
            {
                yield return new Finding(
                    "static-files",
                    location.Place,
                    $"'{location}' keeps its paths from the application, and no root says where nginx finds files " +
                    "for them: they are 404.",
                    "Add the pass of the application, or root with the folder of the files.")
                {
                    // Usually the icon of a browser.
                    IsHint = location.Argument(0) == "=" && location.Argument(1) is "/favicon.ico" or "/robots.txt",
                };
            }
        }
    }
}
