namespace FastCgi.Benchmarks.Compare;

/// <summary>The result as Markdown: a head that says how the figures came about, and a table for each case.</summary>
/// <param name="comparesFront">
/// The ratios are those of what stands before the targets, alone and with them, and not of the targets alone.
/// </param>
internal sealed class Report(string frontName, bool comparesFront = false)
{
    private const int OwnColumns = 7;

    public void WriteHead(string title, IEnumerable<(string Name, string Value)> facts)
    {
        Console.WriteLine($"# {title}");
        Console.WriteLine();
        foreach (var (name, value) in facts)
        {
            Console.WriteLine($"- {name}: {value}");
        }

        Console.WriteLine();
    }

    public void WriteTargets(IEnumerable<Target> targets)
    {
        foreach (var target in targets)
        {
            Console.WriteLine($"- **{target.Name}**: {target.Description}");
        }

        Console.WriteLine();
    }

    /// <summary>A target that is in no table of this run, or of this mode.</summary>
    public void WriteLeftOut(string target, string reason)
    {
        Console.WriteLine($"- **{target}** is left out: {reason}");
        Console.WriteLine();
    }

    /// <param name="referenceNames">The targets that the ratios are to, where they were measured.</param>
    public void WriteTable(string title, IReadOnlyList<Row> rows, IReadOnlyList<string> referenceNames)
    {
        Console.WriteLine($"## {title}");
        Console.WriteLine();
        Row[] references = [.. referenceNames.SelectMany(
            name => rows.Where(row => row.Target == name && row.Reason is null))];
        string ratios = string.Concat(references.Select(
            row => $"| requests/s ÷ {row.Target} " + string.Concat(
                ComparedCpu(row).Select(cpu => $"| {cpu.Name} ÷ {row.Target} "))));
        int columns = OwnColumns + references.Sum(row => 1 + ComparedCpu(row).Count);
        Console.WriteLine("| target | requests/s | p50 ms | p99 ms | failed | CPU/request µs "
            + $"| {frontName} CPU/request µs | memory MiB {ratios}|");
        Console.WriteLine("| --- " + string.Concat(Enumerable.Repeat("| ---: ", columns)) + "|");
        foreach (var row in rows)
        {
            Console.WriteLine(row.Reason is null
                ? Format(row, references)
                : $"| {row.Target} " + string.Concat(Enumerable.Repeat("| - ", columns)) + "|");
        }

        Console.WriteLine();
        foreach (var sameReason in rows.Where(static row => row.Reason is not null).GroupBy(static row => row.Reason))
        {
            Console.WriteLine($"- {string.Join(", ", sameReason.Select(static row => row.Target))}: {sameReason.Key}");
            Console.WriteLine();
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
}
