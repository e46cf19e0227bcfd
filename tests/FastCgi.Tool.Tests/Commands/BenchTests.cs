using System.Globalization;
using FastCgi.Tool.Output;

namespace FastCgi.Tool.Tests.Commands;

public sealed class BenchTests
{
    [Fact]
    public async Task A_number_of_requests_is_sent_and_counted()
    {
        await using var server = await EchoApplication.StartAsync();

        var run = await ToolRun.OfAsync(
            "bench", server.Address, "/", "-n", "500", "-c", "4", "--warm-up", "0", "--json");

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Equal(500, (int)run.Json["requests"]!);
        Assert.Equal(500, (int)run.Json["statuses"]!["200"]!);
        Assert.Equal(0, (int)run.Json["failures"]!);
        double[] times = [.. new[] { "minimum", "p50", "p75", "p90", "p95", "p99", "p99.9", "maximum" }
            .Select(name => (double)run.Json["milliseconds"]![name]!)];
        Assert.Equal(times.Order(), times);
        Assert.True(times[0] > 0);
    }

    [Fact]
    public async Task The_report_has_percentiles_and_a_histogram()
    {
        await using var server = await EchoApplication.StartAsync();

        var run = await ToolRun.OfAsync(
            "bench", server.Address, "/", "-n", "200", "-c", "2", "--warm-up", "0.1", "--close");

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Contains("p99.9", run.Output, StringComparison.Ordinal);
        Assert.Contains("█", run.Output, StringComparison.Ordinal);
        long[] bars = [.. run.Output.Split('\n').Where(static line => line.StartsWith("<=", StringComparison.Ordinal))
            .Select(static line => long.Parse(
                line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[^1], CultureInfo.InvariantCulture))];
        Assert.Equal(12, bars.Length);
        Assert.Equal(200, bars.Sum());
    }

    [Fact]
    public async Task A_rate_spreads_the_requests_over_time()
    {
        await using var server = await EchoApplication.StartAsync();

        var run = await ToolRun.OfAsync(
            "bench", server.Address, "/", "-c", "2", "--rate", "100", "-t", "0.5", "--warm-up", "0", "--json");

        Assert.Equal(50, (int)run.Json["requests"]!);
        Assert.InRange((double)run.Json["seconds"]!, 0.48, 5);
    }

    [Fact]
    public async Task Statuses_of_errors_are_status_1()
    {
        await using var server = await EchoApplication.StartAsync();

        var run = await ToolRun.OfAsync("bench", server.Address, "/?status=500", "-n", "10", "--warm-up", "0");

        Assert.Equal(ExitCode.Findings, run.ExitCode);
        Assert.Contains("status 500", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_endpoint_without_a_listener_is_said_at_once() =>
        Assert.Equal(ExitCode.Unreachable, (await ToolRun.OfAsync("bench", $"127.0.0.1:{FreePort.Take()}")).ExitCode);

    [Theory]
    [InlineData("-c", "0")]
    [InlineData("-n", "0")]
    [InlineData("--rate", "0")]
    [InlineData("-t", "-1")]
    [InlineData("--warm-up", "-1")]
    public async Task A_plan_that_makes_no_sense_is_status_2(string option, string value)
    {
        var run = await ToolRun.OfAsync("bench", "127.0.0.1:1", option, value);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains(value, run.Error, StringComparison.Ordinal);
    }
}
