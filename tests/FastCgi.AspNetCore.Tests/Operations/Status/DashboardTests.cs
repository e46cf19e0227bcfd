using System.Text.Json;
using FastCgi.AspNetCore.Operations.Status;
using FastCgi.AspNetCore.Tests.Conventions;

namespace FastCgi.AspNetCore.Tests.Operations.Status;

/// <summary>docs/grafana/fastcgi.json asks for metrics that the status page has.</summary>
public partial class DashboardTests
{
    [Fact]
    public void The_dashboard_asks_for_metrics_of_the_status_page()
    {
        using var dashboard = JsonDocument.Parse(
            File.ReadAllBytes(Path.Combine(Source.Root, "docs", "grafana", "fastcgi.json")));
        var asked = dashboard.RootElement.GetProperty("panels").EnumerateArray()
            .SelectMany(static panel => panel.GetProperty("targets").EnumerateArray())
            .SelectMany(static target => Metric().Matches(target.GetProperty("expr").GetString()!))
            .Select(static match => match.Value)
            .ToHashSet();
        var page = StatusPage.AsMetrics(
            new StatusSnapshot("shop", "dynamic", DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch, TimeSpan.Zero) { Queue = default(ListenQueueFigures) });
        var shown = Metric().Matches(page).Select(static match => match.Value).ToHashSet();

        Assert.NotEmpty(asked);
        Assert.Subset(shown, asked);
    }

    [GeneratedRegex("phpfpm_[a-z_]+")]
    private static partial Regex Metric();
}
