using System.Globalization;
using System.Net;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Hosting;

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
        await using var app = await ServedApp.StartAsync(
            IBackEnd.Of(BackEndKind.FastCgi),
            static app => app.MapGet("/", static () => "hello"),
            static builder => builder.WebHost.ConfigureFastCgi(static options =>
            {
                options.Limits.MaxConcurrentRequests = 100;
                options.Status.Path = "/status";
                options.Status.AllowedClients.Add(IPNetwork.Parse("127.0.0.1/32"));
            }));
        await using var nginx = await NginxSite.StartAsync(
            IBackEnd.Of(BackEndKind.FastCgi), NginxSettings.Default, app.SocketPath);
        await using var prometheus = await PrometheusServer.StartAsync($"{nginx.EndPoint}");
        using var site = TestClient.Create(nginx.EndPoint);

        var queries = Queries();
        Assert.True(queries.Count >= 10, $"The dashboard has {queries.Count} queries.");
        foreach (var query in queries)
        {
            var values = await AnswerAsync(site, prometheus, query).Within(query, () => prometheus.Log, _patience);
            Assert.All(values, value => Assert.True(double.IsFinite(value) && value >= 0, $"{query} is {value}."));
        }

        var requests = queries.First(static query => query.Contains("accepted", StringComparison.Ordinal));
        var rate = await AnswerAsync(site, prometheus, requests).Within("the rate", () => prometheus.Log, _patience);
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
