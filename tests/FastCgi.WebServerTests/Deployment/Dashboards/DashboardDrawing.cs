using System.Text.Json.Nodes;
using FastCgi.WebServerKit.Browsers;

namespace FastCgi.WebServerTests.Deployment.Dashboards;

/// <summary>
/// Draws the panels of docs/grafana/fastcgi.json from the answers of Prometheus, in Chromium with uPlot, the library
/// that draws in Grafana too. It is not Grafana.
/// </summary>
internal sealed class DashboardDrawing(PrometheusServer prometheus, DateTimeOffset from, DateTimeOffset to)
{
    private const int Points = 480;

    private readonly double _step = Math.Max(1, Math.Ceiling((to - from).TotalSeconds / Points));

    /// <summary>The panels with their series: what the page draws.</summary>
    public async Task<JsonObject> ReadAsync()
    {
        var dashboard = JsonNode.Parse(await File.ReadAllTextAsync(
            Path.Combine(Repository.Root, "docs", "grafana", "fastcgi.json")))!;
        var times = Times();
        var panels = new JsonArray();
        foreach (var panel in dashboard["panels"]!.AsArray())
        {
            var drawn = panel!["gridPos"]!.DeepClone().AsObject();
            drawn["title"] = panel["title"]!.DeepClone();
            drawn["unit"] = panel["fieldConfig"]!["defaults"]!["unit"]!.DeepClone();
            drawn["times"] = JsonSerializer.SerializeToNode(times);
            var series = new JsonArray();
            foreach (var target in panel["targets"]!.AsArray())
            {
                var query = target!["expr"]!.ToString();
                var answers = await AskAsync(query);
                Assert.True(answers.Length > 0, $"Prometheus knows nothing of {query}.");
                foreach (var answer in answers)
                {
                    series.Add(new JsonObject
                    {
                        ["isRight"] = IsRight(panel, target["refId"]!.ToString()),
                        ["name"] = Name(target["legendFormat"]!.ToString(), answer.GetProperty("metric")),
                        ["values"] = JsonSerializer.SerializeToNode(Values(answer, times)),
                    });
                }
            }

            drawn["series"] = series;
            panels.Add(drawn);
        }

        return new JsonObject
        {
            ["title"] = dashboard["title"]!.DeepClone(),
            ["from"] = from.ToUnixTimeSeconds(),
            ["to"] = to.ToUnixTimeSeconds(),
            ["panels"] = panels,
        };
    }

    public static async Task SaveAsync(JsonObject dashboard, string file)
    {
        using var directory = new WorkDirectory();
        foreach (var name in (string[])["package.json", "dashboard.html"])
        {
            File.Copy(
                Path.Combine(Repository.Root, "tests", "FastCgi.WebServerTests", "Deployment", "Dashboards", name),
                directory.File(name));
        }

        await ChildProcess.SucceedAsync(
            InstalledProgram.Find("npm"),
            ["install", "--no-audit", "--no-fund"],
            directory.Path,
            deadline: TimeSpan.FromMinutes(3));
        await File.WriteAllTextAsync(directory.File("data.js"), $"const dashboard = {dashboard.ToJsonString()};");

        await using var browser = await Chromium.StartAsync(new Viewport(1280, 760, IsPhone: false));
        await browser.OpenAsync(new Uri($"file://{directory.File("dashboard.html")}"));
        await browser.WaitUntilAsync("document.body.dataset.drawn");
        Assert.Empty(await browser.ComplaintsAsync());
        var canvases = (await browser.RunAsync("return document.querySelectorAll('section canvas').length")).GetInt32();
        Assert.Equal(dashboard["panels"]!.AsArray().Count, canvases);
        await browser.SaveScreenshotAsync(file);
    }

    private long[] Times()
    {
        var count = (int)((to - from).TotalSeconds / _step);
        return [.. Enumerable.Range(0, count + 1).Select(i => from.ToUnixTimeSeconds() + (long)(i * _step))];
    }

    private Task<JsonElement[]> AskAsync(string query) => prometheus.AskAsync(
        "query_range",
        ("query", query.Replace("$job", "app", StringComparison.Ordinal)),
        ("start", from.ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture)),
        ("end", to.ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture)),
        ("step", _step.ToString(CultureInfo.InvariantCulture)));

    /// <summary>Whether the answers to a query have the axis on the right.</summary>
    private static bool IsRight(JsonNode panel, string query) =>
        panel["fieldConfig"]!["overrides"]!.AsArray().Any(one =>
            one!["matcher"]!["options"]!.ToString() == query
            && one["properties"]!.AsArray().Any(static property => property!["value"]!.ToString() == "right"));

    /// <summary>The legend as Grafana fills it in.</summary>
    private static string Name(string legend, JsonElement labels)
    {
        foreach (var label in labels.EnumerateObject())
        {
            legend = legend.Replace($"{{{{{label.Name}}}}}", label.Value.GetString(), StringComparison.Ordinal);
        }

        return legend;
    }

    /// <summary>A value for each time, null where Prometheus has none.</summary>
    private static double?[] Values(JsonElement answer, long[] times)
    {
        var known = answer.GetProperty("values").EnumerateArray().ToDictionary(
            static pair => (long)pair[0].GetDouble(),
            static pair => double.Parse(pair[1].GetString()!, CultureInfo.InvariantCulture));
        return [.. times.Select(time => known.TryGetValue(time, out var value) ? value : (double?)null)];
    }
}
