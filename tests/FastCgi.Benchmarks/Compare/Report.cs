using System.Globalization;
using FastCgi.Benchmarks.Loads;
using FastCgi.Benchmarks.Targets;

namespace FastCgi.Benchmarks.Compare;

/// <summary>The result as Markdown: a head that says how the figures came about, and a table for each case.</summary>
/// <param name="writers">All get the same, each line at once.</param>
/// <param name="frontName">What stands before the targets.</param>
internal sealed class Report(IReadOnlyList<TextWriter> writers, string frontName)
{
    public void WriteHead(
        string title, IEnumerable<(string Name, string Value)> facts, ComparisonOptions options, IEnumerable<Target> targets)
    {
        Write($"# {title}");
        Write("");
        foreach (var (name, value) in facts)
        {
            Write($"- {name}: {value}");
        }

        Write($"- rounds: {options.Rounds} of {options.Duration.TotalSeconds:F0} s for each target, interleaved, after "
            + $"{options.WarmUp.TotalSeconds:F0} s of warm-up; medians");
        Write("");
        foreach (var target in targets)
        {
            Write($"- **{target.Name}**: {target.Description}");
        }

        Write("");
    }

    /// <summary>A target that is in no table of this run, or of this mode.</summary>
    public void WriteLeftOut(string target, string reason)
    {
        Write($"- **{target}** is left out: {reason}");
        Write("");
    }

    public void WriteTable(Workload workload, int connections, bool keepConnections, IReadOnlyList<Row> rows)
    {
        Write($"## {workload.Title}; {connections} connections; keep_conn {(keepConnections ? "on" : "off")}");
        Write("");
        Write($"| target | requests/s | p50 ms | p99 ms | failed | CPU/request µs | {frontName} CPU/request µs | memory MiB "
            + "| requests/s ÷ Kestrel | CPU ÷ Kestrel | CPU ÷ floor |");
        Write("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        var kestrel = Find(rows, TargetCatalog.Kestrel);
        var floor = Find(rows, TargetCatalog.Floor);
        foreach (var row in rows)
        {
            Write(row.Reason is null ? Format(row, kestrel, floor) : $"| {row.Target} | - | - | - | - | - | - | - | - | - | - |");
        }

        Write("");
        foreach (var row in rows.Where(static row => row.Reason is not null))
        {
            Write($"- {row.Target}: {row.Reason}");
        }

        Write("");
    }

    private static string Format(Row row, Row? kestrel, Row? floor) => string.Create(
        CultureInfo.InvariantCulture,
        $"| {row.Target} | {row.RequestsPerSecond:N0} | {row.MedianMilliseconds:F3} | {row.Percentile99Milliseconds:F3} "
        + $"| {row.Failed} | {row.BackEndCpuPerRequest:N1} | {row.FrontCpuPerRequest:N1} | {row.Mebibytes:F0} "
        + $"| {Ratio(row.RequestsPerSecond, kestrel?.RequestsPerSecond)} "
        + $"| {Ratio(row.BackEndCpuPerRequest, kestrel?.BackEndCpuPerRequest)} "
        + $"| {Ratio(row.BackEndCpuPerRequest, floor?.BackEndCpuPerRequest)} |");

    private static Row? Find(IEnumerable<Row> rows, string target) =>
        rows.FirstOrDefault(row => row.Target == target && row.Reason is null);

    private static string Ratio(double value, double? reference) =>
        reference is > 0 ? (value / reference.Value).ToString("F2", CultureInfo.InvariantCulture) : "-";

    private void Write(string line)
    {
        foreach (var writer in writers)
        {
            writer.WriteLine(line);
            writer.Flush();
        }
    }
}
