using System.Text;
using Microsoft.AspNetCore.Hosting;

namespace FastCgi.WebServerTests.Locations;

/// <summary>Requests that pass a location which refuses <c>/admin</c>: see docs/evidence/locations.md.</summary>
public sealed class LocationTests
{
    private static readonly string[] s_targets =
    [
        "/admin/secret", "/ADMIN/secret", "//admin/secret", "/./admin/secret", "/x/../admin/secret", "/x//../admin/secret",
        "/%61dmin/secret", "/%2Fadmin/secret", "/admin%2Fsecret", "/x%2F..%2Fadmin/secret", "/x/%2e%2e/admin/secret",
        "/admin;v=1/secret", "/admin%20/secret", "/admin./secret", "/administrators", "/admin/../public",
        "/admin//../public", "/admin//../secret/../admin/secret", "/admin/%2e%2e/public", "/admin/x%2F..%2F..%2Fpublic",
        "/admin/x/..%2F..%2Fpublic",
    ];

    [Fact]
    public async Task The_published_table_is_the_one_of_the_web_servers()
    {
        var free = new Dictionary<string, string[]>();
        var strict = new Dictionary<string, string[]>();
        foreach (var (name, start) in GuardedServers.All)
        {
            free[name] = await AskAsync(start, requiresNormalizedPath: false);
            strict[name] = await AskAsync(start, requiresNormalizedPath: true);
        }

        // With the option no path reaches the application by another meaning than the web server's, but for its case.
        foreach (var (name, outcomes) in strict)
        {
            Assert.All(
                s_targets.Zip(outcomes).Where(pair => pair.First != "/ADMIN/secret"),
                pair => Assert.False(IsAdmin(pair.Second), $"{name}: {pair.First} reaches {pair.Second}"));
        }

        LocationsPage.AssertHas("paths", Write(free, strict));
    }

    private static async Task<string[]> AskAsync(Func<ServedApp, Task<WebServer>> start, bool requiresNormalizedPath)
    {
        await using var site = await Site.StartAsync(
            start,
            app => app.Run(context => context.Response.WriteAsync($"path {context.Request.Path.Value}")),
            builder => builder.WebHost.ConfigureFastCgi(
                options => options.RequireNormalizedPath = requiresNormalizedPath));
        var outcomes = new List<string>();
        foreach (var target in s_targets)
        {
            var response = await site.SendAsync($"GET {target} HTTP/1.1\r\nHost: h\r\n\r\n");
            outcomes.Add(response.Text.StartsWith("path ", StringComparison.Ordinal)
                ? response.Text["path ".Length..]
                : $"{response.Status}");
        }

        return [.. outcomes];
    }

    /// <summary>Routing ignores case.</summary>
    private static bool IsAdmin(string path) => path.StartsWith("/admin/", StringComparison.OrdinalIgnoreCase);

    private static string Write(Dictionary<string, string[]> free, Dictionary<string, string[]> strict)
    {
        var text = new StringBuilder("| the client asks for |").AppendJoin("|", free.Keys.Select(name => $" {name} "))
            .AppendLine("|").Append("| --- |").AppendJoin("|", free.Keys.Select(static _ => " --- ")).AppendLine("|");
        for (var i = 0; i < s_targets.Length; i++)
        {
            var row = i;
            text.Append("| `").Append(s_targets[i]).Append("` |")
                .AppendJoin("|", free.Keys.Select(name => $" {Cell(free[name][row], strict[name][row])} ")).AppendLine("|");
        }

        return text.ToString();
    }

    private static string Cell(string free, string strict)
    {
        var shown = !free.StartsWith('/') ? free : IsAdmin(free) ? $"**`{free}`**" : $"`{free}`";
        return strict == free ? shown : $"{shown}, {strict}";
    }
}
