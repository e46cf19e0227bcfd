namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Requests that nginx redirects internally, and the path that the application sees.</summary>
internal static class RedirectRules
{
    public static IEnumerable<Finding> Check(PassPoint point, DoctorContext context)
    {
        if (!point.IsAspNetCore || point.Server is not { } server)
        {
            yield break;
        }

        foreach (NginxDirective line in Refusals(server).Where(line =>
            NginxRouting.Locate(server.Block, line.Arguments[^1]) == point.Location))
        {
            yield return new Finding(
                "refused-page",
                line.Place,
                $"{line} sends a refused request to the application under the path that was refused: it shows what " +
                "nginx guards.",
                "Name a path of the application: error_page 403 /errors/403;");
        }

        // Such a rewrite stays in its location.
        NginxDirective? unseen = point.Scope.Block.All("rewrite").FirstOrDefault(static line =>
            line.Argument(2) == "break");
        foreach ((NginxDirective line, string path) in NginxRouting.RedirectsIn(server))
        {
            if (NginxRouting.Follow(server.Block, path) != point.Location || point.Location is null)
            {
                continue;
            }

            // A location for .php only is a separate finding.
            if (IsScript(path) && !point.TakesScripts && line.Name != "auth_request")
            {
                yield return Leftover(point, line, path);
            }
            else if (line.Name == "try_files" && !path.Contains("/x", StringComparison.Ordinal) && !point.TakesScripts)
            {
                yield return new Finding(
                    "try-files",
                    line.Place,
                    $"try_files sends every path that is no file to the application as {path}: no route is ever asked.",
                    "Let try_files end with @app, and move the pass to location @app { }.");
            }

            unseen ??= line;
        }

        if (point.TakesScripts)
        {
            yield return Leftover(point, server);
        }
        else if (unseen is not null && CannotSee(point) is { } reason)
        {
            yield return new Finding(
                "redirect-unseen",
                reason.Place,
                $"{unseen.Name} ({unseen.Place.From(reason.Place)}) sends requests here under another path, and " +
                $"{reason.Why}: the application answers the path that the client asked for, also one that nginx " +
                "guards.",
                reason.Remedy);
        }
    }

    /// <summary>Lines that send refused requests to a named location.</summary>
    private static IEnumerable<NginxDirective> Refusals(NginxScope server) => server.Chain
        .SelectMany(static scope => scope.Block.All("error_page"))
        .Concat(server.Block.WithDescendants().Where(static line => line.Name == "error_page"))
        .Where(static line => line.Arguments is [.., ['@', ..]]
            && line.Arguments.Any(static code => code is "401" or "403"))
        .Distinct();

    /// <summary>True for a script, also with a path after it.</summary>
    private static bool IsScript(string path) => path.EndsWith(".php", StringComparison.Ordinal)
        || path.Contains(".php/", StringComparison.Ordinal);

    private static Finding Leftover(PassPoint point, NginxDirective line, string path) => new(
        "php-leftovers",
        line.Place,
        $"{line.Name} makes paths of the application {path}, as for PHP: each is a 404, or a 500 where nginx " +
        "redirects in a circle.",
        $"Remove the line, so that {point.Pass.Name} gets each path as it is.");

    private static Finding Leftover(PassPoint point, NginxScope server)
    {
        NginxDirective location = point.Location!;
        NginxDirective? sender = server.Block.WithDescendants().FirstOrDefault(static line =>
            line.Name is "try_files" or "rewrite" && line.Arguments.Any(static argument =>
                argument.Contains(".php", StringComparison.Ordinal) && !argument.Contains('\\')));
        string others = sender is null
            ? "other paths never reach the application"
            : $"{sender.Name} ({sender.Place.From(location.Place)}) makes every other path one of these, which it " +
                "does not know";
        return new Finding(
            "php-leftovers",
            location.Place,
            $"'{location}' passes {point.Target} only paths that end in .php, and {others}: every page is a 404.",
            $"Write location / with {point.Pass.Name} {point.Pass.Argument(0)}; and remove " +
            $"{(sender is null ? "" : $"{sender.Name} and ")}this location. If PHP runs there, fcgi doctor --probe " +
            "asks it.");
    }

    /// <summary>The reason why the server does not notice a redirect of nginx; null if it does.</summary>
    private static (NginxPlace Place, string Why, string Remedy)? CannotSee(PassPoint point) =>
        point.Parameter("DOCUMENT_URI") is not { } uri
        || uri.Argument(1) is "" or "$document_uri" or "$uri" or "$fastcgi_script_name"
            ? null
            : (uri.Place, $"DOCUMENT_URI is {uri.Argument(1)}", $"Write {uri.Name} DOCUMENT_URI $document_uri;");
}
