using Spectre.Console;

namespace FastCgi.Tool.Benchmarks;

/// <summary>The figures of a benchmark as a table with a histogram, or as JSON.</summary>
internal static class BenchReport
{
    private const int MostBarWidth = 50;
    private const int LeastBarWidth = 10;
    private const int FiguresWidth = 30;
    private const int Bars = 12;

    private static readonly double[] s_percentiles = [50, 75, 90, 95, 99, 99.9];

    public static void Write(ToolTerminal terminal, BenchPlan plan, BenchResult result)
    {
        Table table = new Table().Border(TableBorder.None).HideHeaders().AddColumns("", "");
        table.AddRow(
            "requests",
            $"{Number(result.Latencies.Count)} in {Seconds(result.Elapsed)} s on {plan.Connections} connections");
        table.AddRow("rate", $"{result.Rate.ToString("N0", CultureInfo.InvariantCulture)} requests/s");
        table.AddRow("bodies", $"{Number(result.BodyBytes)} bytes");
        foreach ((int status, long count) in result.Statuses.OrderBy(static status => status.Key))
        {
            table.AddRow($"status {status}", Number(count));
        }

        if (result.Latencies.Count > 0)
        {
            table.AddRow("mean", $"{Milliseconds(result.Latencies.Mean)} ms");
            foreach (double percentile in s_percentiles)
            {
                string name = percentile.ToString("0.#", CultureInfo.InvariantCulture);
                table.AddRow($"p{name}", $"{Milliseconds(result.Latencies.Percentile(percentile))} ms");
            }

            table.AddRow("maximum", $"{Milliseconds(result.Latencies.Maximum)} ms");
        }

        terminal.Console.Write(table);
        WriteHistogram(terminal, result.Latencies);
        foreach ((string message, long count) in result.Failures)
        {
            terminal.Error.WriteLine($"{Number(count)} failed: {message}");
        }

        if (plan is { KeepConnections: null, Connections: > 1 } && result.Failures.ContainsKey(BenchWorker.TimedOut))
        {
            terminal.Error.WriteLine(
                "A process of PHP-FPM serves one connection at a time: give -c pm.max_children at most, or --close.");
        }
    }

    public static JsonObject ToJson(BenchPlan plan, BenchResult result) => new()
    {
        ["requests"] = result.Latencies.Count,
        ["failures"] = result.FailureCount,
        ["seconds"] = Math.Round(result.Elapsed.TotalSeconds, 3),
        ["connections"] = plan.Connections,
        ["requestsPerSecond"] = Math.Round(result.Rate, 1),
        ["bodyBytes"] = result.BodyBytes,
        ["statuses"] = new JsonObject(result.Statuses.OrderBy(static status => status.Key).Select(static status =>
            KeyValuePair.Create(status.Key.ToString(CultureInfo.InvariantCulture), (JsonNode?)status.Value))),
        ["milliseconds"] = Latencies(result.Latencies),
        ["errors"] = new JsonObject(result.Failures.Select(static failure =>
            KeyValuePair.Create(failure.Key, (JsonNode?)failure.Value))),
    };

    private static JsonObject? Latencies(LatencyHistogram latencies)
    {
        if (latencies.Count == 0)
        {
            return null;
        }

        var values = new JsonObject
        {
            ["minimum"] = Rounded(latencies.Minimum),
            ["mean"] = Rounded(latencies.Mean),
        };
        foreach (double percentile in s_percentiles)
        {
            values[$"p{percentile.ToString("0.#", CultureInfo.InvariantCulture)}"] = Rounded(
                latencies.Percentile(percentile));
        }

        values["maximum"] = Rounded(latencies.Maximum);
        return values;
    }

    /// <summary>Writes rows whose times grow by a constant factor, from the fastest request to the slowest.</summary>
    private static void WriteHistogram(ToolTerminal terminal, LatencyHistogram latencies)
    {
        if (latencies.Count < 2 || latencies.Maximum <= latencies.Minimum)
        {
            return;
        }

        double first = Math.Max(1, latencies.Minimum.Ticks);
        double factor = Math.Pow(latencies.Maximum.Ticks / first, 1.0 / Bars);
        TimeSpan[] ends =
        [
            .. Enumerable.Range(1, Bars).Select(i => TimeSpan.FromTicks((long)(first * Math.Pow(factor, i)))),
        ];
        // The end of the last bucket may be beyond the slowest request.
        long[] counts = [.. Enumerable.Range(0, Bars).Select(i => latencies.CountBetween(
            i == 0 ? TimeSpan.MinValue : ends[i - 1], i == Bars - 1 ? TimeSpan.MaxValue : ends[i]))];
        long most = counts.Max();
        int width = Math.Clamp(terminal.Console.Profile.Width - FiguresWidth, LeastBarWidth, MostBarWidth);
        terminal.Console.WriteLine();
        for (int i = 0; i < Bars; i++)
        {
            string bar = new('█', (int)Math.Ceiling((double)counts[i] * width / most));
            terminal.Console.MarkupLineInterpolated(
                CultureInfo.InvariantCulture, $"<= {Milliseconds(ends[i]),10} ms [blue]{bar}[/] {Number(counts[i])}");
        }
    }

    private static string Number(long number) => number.ToString("N0", CultureInfo.InvariantCulture);

    private static string Seconds(TimeSpan time) => time.TotalSeconds.ToString("0.0", CultureInfo.InvariantCulture);

    private static string Milliseconds(TimeSpan time) =>
        time.TotalMilliseconds.ToString("0.000", CultureInfo.InvariantCulture);

    private static double Rounded(TimeSpan time) => Math.Round(time.TotalMilliseconds, 3);
}
