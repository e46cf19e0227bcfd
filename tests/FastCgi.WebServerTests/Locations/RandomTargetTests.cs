using System.Text.RegularExpressions;

namespace FastCgi.WebServerTests.Locations;

/// <summary>
/// Random targets through each web server of <see cref="RedirectingServers"/>: the application sees the page that
/// Kestrel behind the same configuration sees. FASTCGI_TARGETS says how many for each web server: 300.
/// </summary>
public sealed class RandomTargetTests
{
    private const string InvalidEscape = "%(00|(?![0-9A-Fa-f]{2}))";

    /// <summary>No fragment and no byte above 0x7F: docs/evidence/kestrel.md has what each server makes of them.</summary>
    private static readonly string[] s_pieces =
    [
        "a", "b", "A", "/", "/", "/", "//", ".", "..", "/../", "/./", "/..", "%2e", "%2E%2e", "%2F", "%2f", "%5C", "\\", "%20",
        "+", "%25", "%252F", "%61", ";", ";v=1", "%3B", "%3F", "%23", "%C3%BC", "%FF", "%E2%82", "%00", "%0A", "%7F", "%zz",
        "%", "%2", ":", "@", "~", "!", "$", "&", "'", "(", "*", ",", "=", "[", "]", "{", "|", "^", "`", "\"", "<", "?", "?x=1",
        "?x=%2F&y",
    ];

    public static TheoryData<string> Servers => [.. RedirectingServers.All.Select(static server => server.Name)];

    [Theory, MemberData(nameof(Servers))]
    public async Task A_target_reaches_the_page_that_it_reaches_on_Kestrel(string name)
    {
        var server = RedirectingServers.All.Single(server => server.Name == name);
        await using var backEnd = await RedirectBackEnd.StartAsync(isHttp: false);
        await using var webServer = await server.Start(backEnd);
        await using var kestrel = await RedirectBackEnd.StartAsync(isHttp: true);
        await using var proxy = await server.Start(kestrel);
        await SeededChoices.TryAllAsync("FASTCGI_TARGETS", 300, "FastCgi.WebServerTests", async seed =>
        {
            var target = Make(new SeededChoices(seed), server);
            if (!IsLeftOut(name.Split(',')[0], target))
            {
                var seen = await backEnd.OutcomeOfAsync(webServer, target);
                var expected = await kestrel.OutcomeOfAsync(proxy, target);
                Assert.True(
                    WithoutEmptyQuery(seen) == WithoutEmptyQuery(expected),
                    $"Target {seed}: {target}\nKestrel:\n{expected}\nThis server:\n{seen}");
            }
        });
    }

    /// <summary>The page of a row, or its folder, or the root, and random pieces behind it.</summary>
    private static string Make(SeededChoices choices, RedirectingServer server)
    {
        var page = server.Rows[choices.Below(server.Rows.Count)].Request.Split(' ')[1].Split('?')[0];
        var begin = choices.Pick(page, page[..(page.LastIndexOf('/') + 1)], "/");
        var pieces = Enumerable.Range(0, choices.Below(6)).Select(_ => choices.Pick<string>(s_pieces));
        return begin + string.Concat(pieces);
    }

    /// <summary>A redirect loses the mark of an empty query.</summary>
    private static string WithoutEmptyQuery(string outcome) => Regex.Replace(outcome, @"\?+(?=,? )", "");

    /// <summary>Targets that the two back ends see in different ways for a reason.</summary>
    private static bool IsLeftOut(string server, string target)
    {
        bool Has(string text) => target.Contains(text, StringComparison.OrdinalIgnoreCase);
        bool IsBelow(params string[] folders) =>
            folders.Any(folder => target.StartsWith($"/{folder}", StringComparison.Ordinal));

        return server switch
        {
            // A mirrored request may come later. $uri in a target is not escaped, which Kestrel refuses. A rewrite that
            // changes the query alone looks as if nothing was rewritten.
            "nginx" => IsBelow("mirroring", "files-query") || (IsBelow("same", "bare") && (Has("%2F") || Has("//") || Has("/."))),
            // It sends nothing that it cannot decode by FastCGI, and answers 500.
            "HAProxy" => Regex.IsMatch(target, InvalidEscape) || Has("%0A"),
            // It refuses NUL only for FastCGI. It sends the path that it has changed only decoded.
            "Caddy" => Has("%00") || (Has("%2F") && IsBelow("hp", "sp", "old")),
            // It removes dot segments of a path with a NUL or without a valid escape only for FastCGI.
            "h2o" => Regex.IsMatch(target, InvalidEscape),
            // The application sees the client's spelling of a path without dot segments, and of the query.
            "lighttpd" or "Apache" => Has("?") || ((Has("//") || Has("%2F")) && !Regex.IsMatch(target, @"/\.\.?(/|$)")),
            _ => false,
        };
    }
}
