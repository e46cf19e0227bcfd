using FastCgi.Benchmarks.Bars;

namespace FastCgi.Benchmarks.Tables;

/// <summary><c>tables</c>: measures the tables of docs/evidence/performance.md anew, by their commands.</summary>
internal static class TablesCommand
{
    private const string Chart = "performance.svg";

    public static Command Create(RootCommand root)
    {
        var page = new Option<FileInfo>("--page")
        {
            Description = "the page with the commands and the tables",
            DefaultValueFactory = static _ => new FileInfo("docs/evidence/performance.md"),
        };
        var sections = new Option<string[]>("--sections")
        {
            Description = "the sections to measure, by the beginning of their titles: Memory,Start; all unless given",
            CustomParser = CommandOptions.SplitByCommas,
        };
        var command = new Command(
            "tables", "Measures the tables of a page anew, by the commands that stand there, and draws its chart.")
        {
            page, sections,
        };
        command.SetAction((parsed, cancellationToken) =>
            RunAsync(root, parsed.GetValue(page)!, parsed.GetValue(sections) ?? [], cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(
        RootCommand root, FileInfo page, string[] sections, CancellationToken cancellationToken)
    {
        if (!page.Exists)
        {
            throw new InvalidOperationException($"{page} is not there: name the page by --page.");
        }

        (string Section, string Arguments)[] commands = [.. MeasuredPage.Commands(Read(page))
            .Where(command => sections.Length == 0
                || sections.Any(section => command.Section.StartsWith(section, StringComparison.OrdinalIgnoreCase)))];
        if (commands.Length == 0)
        {
            throw new InvalidOperationException(
                $"{page} has no line 'run …' in a section that begins with '{string.Join("' or '", sections)}'.");
        }

        var placed = commands.Select(static command => command.Section).Distinct()
            .ToDictionary(static section => section, static _ => new HashSet<string>());
        bool isComplete = true;
        foreach (var (section, arguments) in commands)
        {
            await Console.Error.WriteLineAsync($"run {arguments}");
            string report = await ReportAsync(root, arguments, cancellationToken);

            // After each command: what has been measured is kept if the next one fails.
            string text = MeasuredPage.Replace(Read(page), section, report, out var replaced);
            await File.WriteAllTextAsync(page.FullName, text, cancellationToken);
            await Console.Out.WriteLineAsync($"{section}: {replaced.Count} tables of 'run {arguments}'");
            placed[section].UnionWith(replaced);
            if (HasAny(MeasuredPage.Titles(report).Except(replaced), page, section, "add a heading with a table for"))
            {
                isComplete = false;
                await Console.Error.WriteLineAsync(report);
            }
        }

        foreach (var (section, titles) in placed)
        {
            isComplete &= !HasAny(
                MeasuredPage.Titles(Read(page), section).Except(titles), page, section, "none of its commands measured");
        }

        PerformanceChart.Draw(page.FullName, Path.Combine(page.DirectoryName!, Chart));
        return isComplete ? 0 : 1;
    }

    /// <summary>Whether there are such tables; each is told.</summary>
    private static bool HasAny(IEnumerable<string> titles, FileInfo page, string section, string what)
    {
        string[] told = [.. titles.Select(title => $"{page}, section '{section}': {what} '{title}'.")];
        Array.ForEach(told, Console.Error.WriteLine);
        return told.Length > 0;
    }

    /// <summary>What the command writes.</summary>
    /// <exception cref="InvalidOperationException">It failed.</exception>
    private static async Task<string> ReportAsync(
        RootCommand root, string arguments, CancellationToken cancellationToken)
    {
        TextWriter console = Console.Out;
        using var report = new StringWriter();
        Console.SetOut(report);
        try
        {
            var here = new InvocationConfiguration
            {
                ProcessTerminationTimeout = null,
                EnableDefaultExceptionHandler = false,
            };
            int status = await root.Parse(arguments).InvokeAsync(here, cancellationToken);
            return status == 0
                ? report.ToString()
                : throw new InvalidOperationException(
                    $"'run {arguments}' ended with {status}:{Environment.NewLine}{report}");
        }
        finally
        {
            Console.SetOut(console);
        }
    }

    private static string Read(FileInfo page) => File.ReadAllText(page.FullName);
}
