using System.Globalization;
using System.Net.Http.Json;
using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Hosting;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>
/// Debian's Prometheus scrapes the status page through nginx, and answers every query of docs/grafana/fastcgi.json.
/// </summary>
public sealed class PrometheusTests : IDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(1);
    private static readonly Uri _root = new("", UriKind.Relative);

    private readonly WorkDirectory _directory = new();

    [Fact]
    public async Task The_queries_of_the_dashboard_are_answered()
    {
        var program = InstalledProgram.Find("prometheus");
        await using var app = await ServedApp.StartAsync(
            IBackEnd.Of(BackEndKind.FastCgi),
            static app => app.MapGet("/", static () => "hello"),
            static builder => builder.WebHost.ConfigureFastCgi(static options =>
            {
                options.Limits.MaxConcurrentRequests = 100;
                options.Status.Path = "/status";
                options.Status.AllowedClients.Add("127.0.0.1");
            }));
        await using var nginx = await NginxSite.StartAsync(
            IBackEnd.Of(BackEndKind.FastCgi), NginxSettings.Default, app.SocketPath);
        var port = FreePort.Take();
        await using var prometheus = await StartAsync(program, port, $"{nginx.EndPoint}");
        using var site = TestClient.Create(nginx.EndPoint);
        using var api = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{port}/api/v1/") };

        var queries = Queries();
        Assert.True(queries.Count >= 10, $"The dashboard has {queries.Count} queries.");
        foreach (var query in queries)
        {
            var values = await AnswerAsync(site, api, query).Within(query, prometheus.Log.ToString, _patience);
            Assert.All(values, value => Assert.True(double.IsFinite(value) && value >= 0, $"{query} is {value}."));
        }

        var requests = queries.First(static query => query.Contains("accepted", StringComparison.Ordinal));
        var rate = await AnswerAsync(site, api, requests).Within("the rate", prometheus.Log.ToString, _patience);
        Assert.All(rate, static value => Assert.True(value > 0));
    }

    public void Dispose() => _directory.Dispose();

    private static List<string> Queries()
    {
        var dashboard = JsonNode.Parse(File.ReadAllText(
            Path.Combine(Repository.Root, "docs", "grafana", "fastcgi.json")))!;
        return [.. dashboard["panels"]!.AsArray().SelectMany(static panel => panel!["targets"]!.AsArray())
            .Select(static target => target!["expr"]!.ToString().Replace("$job", "app", StringComparison.Ordinal))];
    }

    /// <summary>With the scrape that docs/operate.md gives, once a second and at this address.</summary>
    private async Task<ChildProcess> StartAsync(string program, int port, string target)
    {
        var page = Path.Combine(Repository.Root, "docs", "operate.md");
        var scrape = Assert.Single(MarkdownBlocks.Read(page, "yaml"))
            .Replace("127.0.0.1:8081", target, StringComparison.Ordinal);
        var file = _directory.File("prometheus.yml");
        await File.WriteAllTextAsync(file, $"global:\n  scrape_interval: 1s\n{scrape}");
        var process = ChildProcess.Start(
            program,
            [$"--config.file={file}", $"--storage.tsdb.path={_directory.File("data")}",
                $"--web.listen-address=127.0.0.1:{port}"],
            _directory.Path);
        var ready = process.Log.FirstAsync(static line => line.Contains("Server is ready", StringComparison.Ordinal));
        await Task.WhenAny(ready, process.Ended).Within("the start of Prometheus", process.Log.ToString, _patience);
        Assert.True(ready.IsCompleted, process.Log.ToString());
        return process;
    }

    /// <summary>The values that a query has, as soon as it has any.</summary>
    private static async Task<double[]> AnswerAsync(HttpClient site, HttpClient api, string query)
    {
        while (true)
        {
            // A rate needs requests, and a difference of two scrapes.
            Assert.Equal("hello", await site.GetStringAsync(_root));
            var target = new Uri($"query?query={Uri.EscapeDataString(query)}", UriKind.Relative);
            var answer = await api.GetFromJsonAsync<JsonElement>(target);
            Assert.Equal("success", answer.GetProperty("status").GetString());
            double[] values = [.. answer.GetProperty("data").GetProperty("result").EnumerateArray()
                .Select(static item => double.Parse(item.GetProperty("value")[1].GetString()!, CultureInfo.InvariantCulture))];
            if (values.Length > 0)
            {
                return values;
            }

            await Task.Delay(TimeSpan.FromMilliseconds(200));
        }
    }
}
