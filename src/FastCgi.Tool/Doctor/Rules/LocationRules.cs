namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Directives in a location of the application whose effect differs from the intended one.</summary>
internal static class LocationRules
{
    public static IEnumerable<Finding> Check(PassPoint point, DoctorContext context)
    {
        NginxDirective? tried = point.Scope.Block.All("try_files").FirstOrDefault();
        if (tried is not null && point.IsAspNetCore && WhyNotAsked(point, tried) is { } reason)
        {
            yield return new Finding(
                "try-files",
                tried.Place,
                $"try_files {reason} where there is no such file, so no route of the application is ever asked.",
                "Let try_files end with @app, and move fastcgi_pass to location @app { }; or remove try_files.");
        }

        foreach (Finding finding in CheckRequest(point).Concat(CheckLength(point)).Concat(CheckReach(point))
            .Concat(CheckHidden(point)))
        {
            yield return finding;
        }
    }

    /// <summary>The way of a path that is no file, if it leads to no application; otherwise null.</summary>
    private static string? WhyNotAsked(PassPoint point, NginxDirective tried)
    {
        if (tried.Arguments is [.., ['=', .. var status]])
        {
            return IsRegex(point.Location) ? null : $"answers {status}";
        }

        if (tried.Arguments is not [.., ['/' or '@', ..] last] || point.Server is not { IsIncomplete: false } server)
        {
            return null;
        }

        NginxDirective? location = NginxRouting.Follow(server.Block, NginxRouting.PathOf(last));
        return location is null || location.Passes.Count == 0 ? $"sends the request to {last}" : null;
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
            bool isAnnounced = point.IsScgi || point.ValueOf("CONTENT_LENGTH") is { Length: > 0 };
            yield return new Finding(
                "body-off",
                body.Place,
                $"{body.Name} off keeps every body from the application" +
                (isAnnounced ? "; CONTENT_LENGTH announces it still." : ": a form arrives empty."),
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

    /// <summary>Finds a location whose requests end before they reach the application.</summary>
    private static IEnumerable<Finding> CheckReach(PassPoint point)
    {
        NginxDirective block = point.Scope.Block;
        NginxDirective? answer = point.Server is { } server && server.Block != block
            ? server.Block.All("return").FirstOrDefault() ?? block.All("return").FirstOrDefault()
            : block.All("return").FirstOrDefault();
        if (answer is not null)
        {
            yield return new Finding(
                "never-asked",
                answer.Place,
                $"{answer} answers every request, and {point.Pass.Name} ({point.Pass.Place.From(answer.Place)}) is " +
                "never reached.",
                "Move return to a server or a location of its own.");
        }

        NginxDirective? other = block.Children!.LastOrDefault(static child =>
            child.Name is "fastcgi_pass" or "scgi_pass" or "proxy_pass" or "uwsgi_pass" or "grpc_pass");
        if (other is not null && other != point.Pass && other.Name != point.Pass.Name)
        {
            yield return new Finding(
                "never-asked",
                point.Pass.Place,
                $"{other.Name} (line {other.Place.Line}) stands in the same block, and nginx takes the last: " +
                $"{point.Pass.Name} does nothing.",
                $"Remove {other.Name}.");
        }

        if (point.Location?.Argument(0) is ['@', ..] name && point.Server is { IsIncomplete: false } site
            && !site.Chain.Any(scope => scope.Block.All("error_page").Any(line => line.Arguments.Contains(name)))
            && !site.Block.WithDescendants().Any(line => line.Name != "location"
                && (line.Arguments.Contains(name) || line.IsForeignCode || line.Name == "include"
                    // A map may name it.
                    || (line.Name == "try_files" && line.Arguments[^1].StartsWith('$')))))
        {
            yield return new Finding(
                "never-asked",
                point.Location.Place,
                $"no try_files and no error_page of this server leads to {name}: no request reaches the application.",
                $"Write location / {{ try_files $uri {name}; }}.");
        }

        if (point.IsInternal && point.Location?.Arguments is ["/"])
        {
            yield return new Finding(
                "never-asked",
                point.Location.All("internal").First().Place,
                "the location of all paths is internal: every request of a client is a 404.",
                "Remove internal.");
        }
    }

    private static IEnumerable<Finding> CheckHidden(PassPoint point)
    {
        bool isCached = point.Find("cache") is { } cache && cache.Argument(0) != "off";
        foreach (NginxDirective hidden in point.Scope.FindAll(point.Directive("hide_header")))
        {
            string name = hidden.Argument(0).ToLowerInvariant();
            if ((name == "set-cookie" && !isCached) || name is "location" or "content-type" or "www-authenticate")
            {
                yield return new Finding(
                    "hidden-header",
                    hidden.Place,
                    $"{hidden} keeps {hidden.Argument(0)} from every client: " + name switch
                    {
                        "set-cookie" => "nobody stays signed in.",
                        "location" => "redirects lead nowhere.",
                        "content-type" => "browsers have to guess what a response is.",
                        _ => "clients never send a password.",
                    },
                    "Remove the line.");
            }
        }
    }

    private static bool IsRegex(NginxDirective? location) => location?.Argument(0) is "~" or "~*";
}
