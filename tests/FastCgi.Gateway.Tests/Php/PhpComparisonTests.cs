namespace FastCgi.Gateway.Tests.Php;

/// <summary>
/// PHP sees the same through MapFastCgi as behind nginx, save what is listed with its reason. The page of the differences
/// is what the test has seen.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed class PhpComparisonTests(PhpSites sites) : IClassFixture<PhpSites>
{
    private const string Accept = "FASTCGI_ACCEPT_PAGE";
    private const string Nothing = "-";

    private static readonly string s_page = Path.Combine(Repository.Root, "docs", "evidence", "gateway-php.md");

    [Fact]
    public async Task PHP_sees_what_it_sees_behind_nginx()
    {
        var page = new StringBuilder("""
            # What PHP sees through MapFastCgi and behind nginx

            A test sends these requests to PHP-FPM, once through nginx with Debian's `fastcgi.conf`, once through Kestrel with `MapFastCgi`, and compares the status and all of `$_SERVER`, `$_GET`, `$_POST`, `$_COOKIE`, `$_FILES` and `php://input`. Every other entry is equal. Not compared: `REQUEST_TIME`, `REQUEST_TIME_FLOAT` and `REMOTE_PORT`.

            | request | differs | nginx | MapFastCgi | because |
            | --- | --- | --- | --- | --- |

            """);
        List<string> wrong = [];
        HashSet<string> seen = [];
        foreach (PhpRow row in PhpRows.All)
        {
            var nginx = await sites.ThroughNginxAsync(row.Request);
            var gateway = await sites.ThroughGatewayAsync(row.Request);
            string[] differing = [.. nginx.Keys.Union(gateway.Keys).Order(StringComparer.Ordinal)
                .Where(key => nginx.GetValueOrDefault(key) != gateway.GetValueOrDefault(key))];
            // Where only one of them runs PHP, the status says it all.
            if (nginx["status"] != gateway["status"])
            {
                differing = ["status"];
            }

            seen.UnionWith(differing);
            foreach (string key in differing)
            {
                (string before, string after) = (nginx.GetValueOrDefault(key, Nothing), gateway.GetValueOrDefault(key, Nothing));
                string? reason = row.Differences.FirstOrDefault(one => one.Key == key).Reason;
                if (reason is not null)
                {
                    page.Append(null, $"| {row.Name} | `{key}` | `{before}` | `{after}` | {reason} |\n");
                }
                else if (!PhpRows.Standing.ContainsKey(key))
                {
                    wrong.Add($"{row.Name}: {key} is {before} behind nginx and {after} through the gateway");
                }
            }

            wrong.AddRange(row.Differences.Select(static one => one.Key).Except(differing)
                .Select(key => $"{row.Name}: {key} is listed as different and is not"));
            if (row.Differences.Length == 0)
            {
                page.Append(null, $"| {row.Name} | nothing | | | |\n");
            }
        }

        page.Append("\nThese differ in every request that has them:\n\n| entry | because |\n| --- | --- |\n");
        foreach ((string key, string reason) in PhpRows.Standing)
        {
            page.Append(null, $"| `{key}` | {reason} |\n");
        }

        wrong.AddRange(PhpRows.Standing.Keys.Except(seen).Select(static key => $"{key} differs nowhere"));
        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
        if (Environment.GetEnvironmentVariable(Accept) == "1")
        {
            await File.WriteAllTextAsync(s_page, page.ToString());
        }

        Assert.True(
            File.Exists(s_page) && await File.ReadAllTextAsync(s_page) == page.ToString(),
            $"{s_page} is not up to date. Run this test with {Accept}=1 in the environment and commit the file.");
    }
}
