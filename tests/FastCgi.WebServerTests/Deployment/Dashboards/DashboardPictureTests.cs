using System.Text.Json.Nodes;

namespace FastCgi.WebServerTests.Deployment.Dashboards;

/// <summary>
/// Each panel of the dashboard shows something of a site under load. With FASTCGI_ACCEPT_DASHBOARD=1 the load lasts
/// four minutes, and its picture goes to docs/images/dashboard.png.
/// </summary>
[Trait("Category", "Slow")]
public sealed class DashboardPictureTests
{
    private const string Accept = "FASTCGI_ACCEPT_DASHBOARD";
    private const int LargestPicture = 200 * 1024;

    [Fact]
    public async Task Every_panel_shows_something_of_a_site_under_load()
    {
        var isAccepted = Environment.GetEnvironmentVariable(Accept) == "1";
        await using var site = await DashboardSite.StartAsync();
        await using var prometheus = await PrometheusServer.StartAsync($"{site.WebServer.EndPoint}");
        await ScrapedAsync(prometheus).Within("a first scrape", () => prometheus.Log, TimeSpan.FromMinutes(1));
        var from = DateTimeOffset.UtcNow;
        var answers = isAccepted
            ? await new DashboardLoad(site) { SignIns = 30 }.RunAsync(TimeSpan.FromMinutes(4))
            : await new DashboardLoad(site).RunAsync(TimeSpan.FromSeconds(11));
        var drawing = new DashboardDrawing(prometheus, from, DateTimeOffset.UtcNow);
        var dashboard = await drawing.ReadAsync();

        HttpStatusCode[] expected =
            [HttpStatusCode.OK, HttpStatusCode.InternalServerError, HttpStatusCode.ServiceUnavailable];
        Assert.True(
            expected.All(answers.ContainsKey), $"{string.Join(", ", answers)}; {site.WebServer.ErrorLog}");
        foreach (var panel in dashboard["panels"]!.AsArray())
        {
            var all = panel!["series"]!.AsArray();
            Assert.True(all.Count > 0, $"{panel["title"]} shows nothing.");
            Assert.All(all, series => AssertShowsSomething(panel, series!));
        }

        var file = isAccepted
            ? Path.Combine(Repository.Root, "docs", "images", "dashboard.png")
            : Repository.Artifact("dashboard.png");
        await DashboardDrawing.SaveAsync(dashboard, file);
        Assert.InRange(new FileInfo(file).Length, 1, LargestPicture);
    }

    private static async Task ScrapedAsync(PrometheusServer prometheus)
    {
        while ((await prometheus.AskAsync("query", ("query", "phpfpm_slow_requests"))).Length == 0)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(200));
        }
    }

    private static void AssertShowsSomething(JsonNode panel, JsonNode series)
    {
        var most = series["values"]!.AsArray().Max(static value => (double?)value);
        // Whether a connection waits at the moment of a scrape is chance.
        var least = series["name"]!.ToString().StartsWith("waiting", StringComparison.Ordinal) ? 0 : double.Epsilon;
        Assert.True(most >= least, $"{panel["title"]}, {series["name"]}: {series["values"]!.ToJsonString()}");
    }
}
