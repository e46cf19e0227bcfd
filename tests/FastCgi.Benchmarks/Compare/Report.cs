namespace FastCgi.Benchmarks.Compare;

/// <summary>The result as Markdown: a head that says how the figures came about, and a table for each case.</summary>
/// <param name="writers">All get the same, each line at once.</param>
/// <param name="frontName">What stands before the targets.</param>
/// <param name="comparesFront">
/// The ratios are those of what stands before the targets, alone and with them, and not of the targets alone.
/// </param>
internal sealed class Report(IReadOnlyList<TextWriter> writers, string frontName, bool comparesFront = false)
{
    private const int OwnColumns = 7;

    public void WriteHead(string title, IEnumerable<(string Name, string Value)> facts)
    {
        Write($"# {title}");
        Write("");
        foreach (var (name, value) in facts)
        {
            Write($"- {name}: {value}");
        }

        Write("");
    }

    public void WriteTargets(IEnumerable<Target> targets)
    {
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

    /// <param name="title">Of the table.</param>
    /// <param name="rows">One for each target.</param>
    /// <param name="referenceNames">The targets that the ratios are to, where they were measured.</param>
    public void WriteTable(string title, IReadOnlyList<Row> rows, IReadOnlyList<string> referenceNames)
    {
        Write($"## {title}");
        Write("");
        Row[] references = [.. referenceNames.SelectMany(
            name => rows.Where(row => row.Target == name && row.Reason is null))];
        string ratios = string.Concat(references.Select(
            row => $"| requests/s ÷ {row.Target} " + string.Concat(
                ComparedCpu(row).Select(cpu => $"| {cpu.Name} ÷ {row.Target} "))));
        int columns = OwnColumns + references.Sum(row => 1 + ComparedCpu(row).Count);
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

    private string Format(Row row, Row[] references) =>
        $"| {row.Target} | {Text(row.RequestsPerSecond, "N0")} | {Text(row.MedianMilliseconds, "F3")} "
        + $"| {Text(row.Percentile99Milliseconds, "F3")} | {row.Failed} | {Text(row.BackEndCpuPerRequest, "N1")} "
        + $"| {Text(row.FrontCpuPerRequest, "N1")} | {Text(row.Mebibytes, "F0")} "
        + $"{string.Concat(references.Select(reference => Ratios(row, reference)))}|";

    private string Ratios(Row row, Row reference) =>
        $"| {Text(row.RequestsPerSecond / reference.RequestsPerSecond, "F2")} " + string.Concat(
            ComparedCpu(row).Zip(ComparedCpu(reference), static (own, other) =>
                $"| {Text(own.Cpu / other.Cpu, "F2")} "));

    private List<(string Name, double Cpu)> ComparedCpu(Row row) => comparesFront
        ?
        [
            ($"{frontName} CPU", row.FrontCpuPerRequest),
            ("CPU of both", row.FrontCpuPerRequest + row.BackEndCpuPerRequest),
        ]
        : [("CPU", row.BackEndCpuPerRequest)];

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
