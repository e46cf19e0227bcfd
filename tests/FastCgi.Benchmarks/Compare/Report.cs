using System.Globalization;
using FastCgi.Benchmarks.Loads;
using FastCgi.Benchmarks.Targets;

namespace FastCgi.Benchmarks.Compare;

/// <summary>The result as Markdown: a head that says how the figures came about, and a table for each case.</summary>
/// <param name="writers">All get the same, each line at once.</param>
/// <param name="frontName">What stands before the targets.</param>
internal sealed class Report(IReadOnlyList<TextWriter> writers, string frontName)
{
    private const int OwnColumns = 7;

    /// <summary>What the ratios are to, where it is measured.</summary>
    private static readonly string[] s_references = [TargetCatalog.Kestrel, TargetCatalog.Floor];

    public void WriteHead(
        string title,
        IEnumerable<(string Name, string Value)> facts,
        ComparisonOptions options,
        IEnumerable<Target> targets)
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
        Row[] references = [.. s_references.SelectMany(
            name => rows.Where(row => row.Target == name && row.Reason is null))];
        string ratios = string.Concat(references.Select(
            static row => $"| requests/s ÷ {row.Target} | CPU ÷ {row.Target} "));
        int columns = OwnColumns + (2 * references.Length);
        Write($"| target | requests/s | p50 ms | p99 ms | failed | CPU/request µs | {frontName} CPU/request µs "
            + $"| memory MiB {ratios}|");
        Write("| --- " + string.Concat(Enumerable.Repeat("| ---: ", columns)) + "|");
        foreach (var row in rows)
        {
            Write(row.Reason is null
                ? Format(row, references)
                : $"| {row.Target} " + string.Concat(Enumerable.Repeat("| - ", columns)) + "|");
        }

        Write("");
        foreach (var sameReason in rows.Where(static row => row.Reason is not null).GroupBy(static row => row.Reason))
        {
            Write($"- {string.Join(", ", sameReason.Select(static row => row.Target))}: {sameReason.Key}");
            Write("");
        }
    }

    private static string Format(Row row, Row[] references) =>
        $"| {row.Target} | {Text(row.RequestsPerSecond, "N0")} | {Text(row.MedianMilliseconds, "F3")} "
        + $"| {Text(row.Percentile99Milliseconds, "F3")} | {row.Failed} | {Text(row.BackEndCpuPerRequest, "N1")} "
        + $"| {Text(row.FrontCpuPerRequest, "N1")} | {Text(row.Mebibytes, "F0")} "
        + $"{string.Concat(references.Select(reference => Ratios(row, reference)))}|";

    private static string Ratios(Row row, Row reference) =>
        $"| {Text(row.RequestsPerSecond / reference.RequestsPerSecond, "F2")} "
        + $"| {Text(row.BackEndCpuPerRequest / reference.BackEndCpuPerRequest, "F2")} ";

    /// <summary>A dash where nothing was answered, and so nothing can be divided.</summary>
    private static string Text(double value, string format) =>
        double.IsFinite(value) ? value.ToString(format, CultureInfo.InvariantCulture) : "-";

    private void Write(string line)
    {
        foreach (var writer in writers)
        {
            writer.WriteLine(line);
            writer.Flush();
        }
    }
}
