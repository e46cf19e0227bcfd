using System.Text.Json.Nodes;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>
/// Debian's Prometheus scrapes the status page through nginx, and answers every query of docs/grafana/fastcgi.json.
/// </summary>
public sealed class PrometheusTests
{
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(1);
    private static readonly Uri _root = new("", UriKind.Relative);

    [Fact]
    public async Task The_queries_of_the_dashboard_are_answered()
    {
        await using var site = await Site.StartAsync(
            BackEndKind.FastCgi,
            static app => app.MapGet("/", static () => "hello"),
            static builder => builder.WebHost.ConfigureFastCgi(static options =>
            {
                options.Limits.MaxConcurrentRequests = 100;
                options.Status.Path = "/status";
                options.Status.AllowedClients.Add(IPNetwork.Parse("127.0.0.1/32"));
            }));
        await using var prometheus = await PrometheusServer.StartAsync($"{site.WebServer.EndPoint}");

        var queries = Queries();
        Assert.True(queries.Count >= 10, $"The dashboard has {queries.Count} queries.");
        foreach (var query in queries)
        {
            var values = await AnswerAsync(site.Client, prometheus, query)
                .Within(query, () => prometheus.Log, _patience);
            Assert.All(values, value => Assert.True(double.IsFinite(value) && value >= 0, $"{query} is {value}."));
        }

        var requests = queries.First(static query => query.Contains("accepted", StringComparison.Ordinal));
        var rate = await AnswerAsync(site.Client, prometheus, requests)
            .Within("the rate", () => prometheus.Log, _patience);
        Assert.All(rate, static value => Assert.True(value > 0));
    }

    private static List<string> Queries()
    {
        var dashboard = JsonNode.Parse(File.ReadAllText(
            Path.Combine(Repository.Root, "docs", "grafana", "fastcgi.json")))!;
        return [.. dashboard["panels"]!.AsArray().SelectMany(static panel => panel!["targets"]!.AsArray())
            .Select(static target => target!["expr"]!.ToString().Replace("$job", "app", StringComparison.Ordinal))];
    }

    /// <summary>The values that a query has, as soon as it has any.</summary>
    private static async Task<double[]> AnswerAsync(HttpClient site, PrometheusServer prometheus, string query)
    {
        while (true)
        {
            // A rate needs requests, and a difference of two scrapes.
            Assert.Equal("hello", await site.GetStringAsync(_root));
            double[] values = [.. (await prometheus.AskAsync("query", ("query", query))).Select(static item =>
                double.Parse(item.GetProperty("value")[1].GetString()!, CultureInfo.InvariantCulture))];
            if (values.Length > 0)
            {
                return values;
            }

            await Task.Delay(TimeSpan.FromMilliseconds(200));
        }
    }
}

/// <summary>Debian's Prometheus with the scrape of docs/monitoring.md, once a second and of another address.</summary>
internal sealed class PrometheusServer : IAsyncDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(1);

    private readonly WorkDirectory _directory;
    private readonly ChildProcess _process;
    private readonly HttpClient _api;

    private PrometheusServer(WorkDirectory directory, ChildProcess process, int port)
    {
        _directory = directory;
        _process = process;
        _api = new HttpClient
        {
            BaseAddress = new Uri($"http://127.0.0.1:{port}/api/v1/"),
            Timeout = Deadline.Of(_patience),
        };
    }

    public string Log => _process.Log.ToString();

    public static async Task<PrometheusServer> StartAsync(string target)
    {
        var program = InstalledProgram.Find("prometheus");
        var page = Path.Combine(Repository.Root, "docs", "monitoring.md");
        var scrape = Assert.Single(MarkdownBlocks.Read(page, "yaml"))
            .With("127.0.0.1:8081", target);
        var directory = new WorkDirectory();
        var file = directory.File("prometheus.yml");
        await File.WriteAllTextAsync(file, $"global:\n  scrape_interval: 1s\n{scrape}");
        var port = FreePort.Take();
        var process = ChildProcess.Start(
            program,
            [$"--config.file={file}", $"--storage.tsdb.path={directory.File("data")}",
                $"--web.listen-address=127.0.0.1:{port}"],
            directory.Path);
        var ready = process.Log.FirstAsync(static line => line.Contains("Server is ready", StringComparison.Ordinal));
        await Task.WhenAny(ready, process.Ended).Within("the start of Prometheus", process.Log.ToString, _patience);
        Assert.True(ready.IsCompleted, process.Log.ToString());
        return new PrometheusServer(directory, process, port);
    }

    /// <summary>Asks the API.</summary>
    /// <returns>The list <c>data.result</c>.</returns>
    public async Task<JsonElement[]> AskAsync(string resource, params (string Name, string Value)[] parameters)
    {
        var query = string.Join('&', parameters.Select(static one => $"{one.Name}={Uri.EscapeDataString(one.Value)}"));
        var answer = await _api.GetFromJsonAsync<JsonElement>(new Uri($"{resource}?{query}", UriKind.Relative));
        Assert.Equal("success", answer.GetProperty("status").GetString());
        return [.. answer.GetProperty("data").GetProperty("result").EnumerateArray()];
    }

    public async ValueTask DisposeAsync()
    {
        _api.Dispose();
        await _process.DisposeAsync();
        _directory.Dispose();
    }
}
