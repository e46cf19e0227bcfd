namespace FastCgi.WebServerTests.Locations;

/// <summary>
/// Behind each web server the application sees the page that an HTTP back end behind the same configuration sees, as
/// docs/evidence/locations.md shows it.
/// </summary>
public sealed class RedirectTests
{
    private const string Header = "| web server | directive | the client asks for | the application sees |\n| --- | --- | --- | --- |\n";
    private const string FastCgi = "| nginx | ";
    private const string Scgi = "| nginx, SCGI | ";

    [Fact]
    public async Task The_application_sees_the_page_that_Kestrel_behind_the_same_configuration_sees()
    {
        var lines = new List<string>();
        var wrong = new List<string>();
        foreach (var server in RedirectingServers.All)
        {
            var seen = await AskAsync(server, isHttp: false);
            var expected = await AskAsync(server, isHttp: true);
            foreach (var (row, ours, theirs) in server.Rows.Zip(seen, expected))
            {
                if ((ours == theirs) != row.Difference is null)
                {
                    wrong.Add($"{server.Name}, {row.Directive}, {row.Request}: {ours}; Kestrel: {theirs}");
                }

                var cell = row.Difference is null ? $"`{ours}`" : $"`{ours}`; Kestrel: `{theirs}`. {row.Difference}.";
                string[] cells = [server.Name, Code(row.Directive), Code(row.Request.Replace("GET ", "")), cell];
                lines.Add($"| {string.Join(" | ", cells)} |");
            }
        }

        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
        LocationsPage.AssertHas("redirects", Header + string.Join('\n', WithoutTwins(lines)));
    }

    /// <summary>Rows of nginx by SCGI that are those of nginx by FastCGI are left out.</summary>
    private static IEnumerable<string> WithoutTwins(List<string> lines) =>
        lines.Where(line => !line.StartsWith(Scgi, StringComparison.Ordinal) || !lines.Contains(line.Replace(Scgi, FastCgi)));

    private static string Code(string text) => text == "none" ? text : $"`{text.Replace("|", "\\|")}`";

    private static async Task<IReadOnlyList<string>> AskAsync(RedirectingServer server, bool isHttp)
    {
        await using var backEnd = await RedirectBackEnd.StartAsync(isHttp);
        await using var webServer = await server.Start(backEnd);
        var seen = new List<string>();
        foreach (var row in server.Rows)
        {
            seen.Add(await backEnd.SeenOfAsync(webServer, row));
        }

        return seen;
    }
}
