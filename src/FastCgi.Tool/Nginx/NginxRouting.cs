using System.Text.RegularExpressions;

namespace FastCgi.Tool.Nginx;

/// <summary>The location that nginx chooses for a path, and its internal redirects.</summary>
internal static class NginxRouting
{
    private const int MostRedirects = 5;
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(100);

    /// <summary>The possible beginnings of a query.</summary>
    private static readonly string[] s_queries = ["?", "$is_args", "$args", "$query_string"];

    /// <summary>The location for a path, or for a name with an @; null if the server has none.</summary>
    public static NginxDirective? Locate(NginxDirective server, string path)
    {
        if (path.StartsWith('@'))
        {
            return server.All("location").FirstOrDefault(location => location.Argument(0) == path);
        }

        NginxDirective? exact = server.All("location").FirstOrDefault(
            location => location.Argument(0) == "=" && location.Argument(1) == path);
        if (exact is not null)
        {
            return exact;
        }

        NginxDirective? prefix = server.All("location")
            .Where(location => location.Arguments is [var only] ? !only.StartsWith('@') : location.Argument(0) == "^~")
            .Where(location => path.StartsWith(location.Arguments[^1], StringComparison.Ordinal))
            .MaxBy(static location => location.Arguments[^1].Length);
        NginxDirective? nested = prefix is null ? null : Locate(prefix, path);
        if (nested is not null || prefix?.Argument(0) == "^~")
        {
            return nested ?? prefix;
        }

        NginxDirective? regex = server.All("location").FirstOrDefault(location =>
            location.Argument(0) is "~" or "~*"
            && Matches(location.Argument(1), path, ignoreCase: location.Argument(0) == "~*"));
        return regex is null ? prefix : Locate(regex, path) ?? regex;
    }

    /// <summary>The block that finally answers a path, following the fallbacks of try_files.</summary>
    public static NginxDirective? Follow(NginxDirective server, string path)
    {
        NginxDirective? location = Locate(server, path);
        for (int i = 0; i < MostRedirects && location is not null; i++)
        {
            if (location.All("try_files").FirstOrDefault()?.Arguments is not [_, .., var last]
                || last.StartsWith('=') || last.StartsWith('$') || PathOf(last) == path)
            {
                break;
            }

            path = PathOf(last);
            location = Locate(server, path);
        }

        return location;
    }

    /// <summary>
    /// The lines of a server, and of the blocks around it, that send requests to another path, each with that path.
    /// </summary>
    public static IEnumerable<(NginxDirective Line, string Path)> RedirectsIn(NginxScope server)
    {
        IEnumerable<NginxDirective> inherited = server.Chain.Skip(1)
            .SelectMany(static scope => scope.Block.All("error_page"));
        foreach (NginxDirective line in inherited.Concat(server.Block.WithDescendants()))
        {
            string? path = line.Name switch
            {
                "error_page" => line.Arguments[^1],
                "auth_request" when line.Argument(0) != "off" => line.Argument(0),
                "rewrite" when line.Argument(2) is not ("redirect" or "permanent") => line.Argument(1),
                "try_files" when line.Arguments.Count > 1 => line.Arguments[^1],
                _ => null,
            };
            if (path is ['/', ..])
            {
                yield return (line, PathOf(path));
            }
        }
    }

    /// <summary>The path without the query. Captures and variables are replaced by some text.</summary>
    public static string PathOf(string target)
    {
        int[] queries =
        [
            .. s_queries.Select(query => target.IndexOf(query, StringComparison.Ordinal)).Where(static at => at >= 0),
            target.Length,
        ];
        return target[..queries.Min()].Replace("$uri", "/x", StringComparison.Ordinal)
            .Replace("$request_uri", "/x", StringComparison.Ordinal)
            .Replace("$", "", StringComparison.Ordinal);
    }

    private static bool Matches(string expression, string path, bool ignoreCase)
    {
        try
        {
            return Regex.IsMatch(
                path,
                expression.Replace("(?P<", "(?<", StringComparison.Ordinal),
                ignoreCase ? RegexOptions.IgnoreCase | RegexOptions.CultureInvariant : RegexOptions.None,
                s_patience);
        }
        catch (Exception exception) when (exception is RegexParseException or RegexMatchTimeoutException)
        {
            return false;
        }
    }
}
