using System.Text.RegularExpressions;

namespace FastCgi.WebServerTests.Locations;

/// <summary>
/// Random targets through each web server of <see cref="RedirectingServers"/>: the application sees the page that
/// Kestrel behind the same configuration sees. FASTCGI_FUZZ_SEED is the first target, and FASTCGI_TARGETS says how many
/// for each web server: 300.
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
        var first = RunSettings.Number("FASTCGI_FUZZ_SEED") ?? 1;
        var count = RunSettings.Number("FASTCGI_TARGETS") ?? 300;
        var targets = Enumerable.Range(first, count).Select(seed => Make(new Random(seed), server))
            .Where(target => !IsLeftOut(name.Split(',')[0], target)).ToList();
        var seen = await AskAsync(server, targets, isHttp: false);
        var expected = await AskAsync(server, targets, isHttp: true);
        var differences = targets.Zip(seen, expected).Where(static outcome => outcome.Second != outcome.Third)
            .Select(static outcome => $"{outcome.First}\nKestrel:     {outcome.Third}\nThis server: {outcome.Second}");
        Assert.Empty(differences);
    }

    /// <summary>The page of a row, or its folder, or the root, and random pieces behind it.</summary>
    private static string Make(Random random, RedirectingServer server)
    {
        var page = server.Rows[random.Next(server.Rows.Count)].Request.Split(' ')[1].Split('?')[0];
        var begin = random.Next(3) switch
        {
            0 => page,
            1 => page[..(page.LastIndexOf('/') + 1)],
            _ => "/",
        };
        var pieces = Enumerable.Range(0, random.Next(6)).Select(_ => s_pieces[random.Next(s_pieces.Length)]);
        return begin + string.Concat(pieces);
    }

    /// <summary>Targets that the two back ends see in different ways for a reason.</summary>
    private static bool IsLeftOut(string server, string target)
    {
        bool Has(string text) => target.Contains(text, StringComparison.OrdinalIgnoreCase);
        bool IsBelow(params ReadOnlySpan<string> folders)
        {
            foreach (var folder in folders)
            {
                if (target.StartsWith($"/{folder}", StringComparison.Ordinal))
                {
                    return true;
                }
            }

            return false;
        }

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

    private static async Task<List<string>> AskAsync(RedirectingServer server, List<string> targets, bool isHttp)
    {
        await using var backEnd = await RedirectBackEnd.StartAsync(isHttp);
        await using var webServer = await server.Start(backEnd);
        var seen = new List<string>();
        foreach (var target in targets)
        {
            // A redirect loses the mark of an empty query.
            seen.Add(Regex.Replace(await backEnd.OutcomeOfAsync(webServer, target), @"\?+(?=,? )", ""));
        }

        return seen;
    }
}
