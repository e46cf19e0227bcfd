namespace FastCgi.Benchmarks.Systems;

/// <summary><c>systems</c>: the systems that people ran, on this server and on what they ran on.</summary>
internal sealed class SystemsCommand
{
    private readonly Command _command =
        new("systems", "Compares whole systems with what they ran on before, by ab behind one nginx.");

    private readonly Option<string[]> _scenarios = CommandOptions.Choice("--scenarios", ScenarioCatalog.Names);

    private readonly Option<int> _rounds = CommandOptions.Number("--rounds", "rounds of each target", 3, least: 1);

    private readonly Option<double> _scale = new("--scale")
    {
        Description = "the share of each load's requests: 1 for figures, 0.01 to see whether everything runs",
        DefaultValueFactory = static _ => 1,
    };

    private readonly Option<DirectoryInfo> _peerBuilds = new("--peer-builds")
    {
        Description = "a folder with AsyncFastCGI/AsyncFastCGI.dll, LbFastCGI/LbFastCGI.dll and php-crud-api/api.php",
    };

    private SystemsCommand()
    {
        _command.Add(_scenarios);
        _command.Add(_rounds);
        _command.Add(_scale);
        _command.Add(_peerBuilds);
        _scale.Validators.Add(static result =>
        {
            if (result.GetValueOrDefault<double>() is not (> 0 and <= 1))
            {
                result.AddError("--scale needs a number above 0, up to 1.");
            }
        });
        _peerBuilds.AcceptExistingOnly();
        _command.SetAction(RunAsync);
    }

    public static Command Create() => new SystemsCommand()._command;

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        using var directory = new WorkDirectory();
        var report = new Report("nginx");
        double scale = parsed.GetValue(_scale);
        report.WriteHead("Systems that people ran", await FactsAsync(parsed, scale, directory.Path));

        var catalog = new ScenarioCatalog(
            new PublishedSamples(Path.Combine(directory.Path, "samples")),
            parsed.GetValue(_peerBuilds)?.FullName,
            Path.Combine(directory.Path, "data"));
        bool isAllRight = true;
        foreach (string name in parsed.GetValue(_scenarios)!)
        {
            var scenario = await catalog.CreateAsync(name);
            await using var database = scenario.Database;
            scenario = scenario with { Cases = [.. scenario.Cases.Select(table => table.Scale(scale))] };
            isAllRight &= await new SystemRun(scenario, parsed.GetValue(_rounds), report).RunAsync();
        }

        return isAllRight ? 0 : 1;
    }

    private async Task<(string Name, string Value)[]> FactsAsync(ParseResult parsed, double scale, string directory)
    {
        string size = scale == 1 ? "" : string.Create(CultureInfo.InvariantCulture, $" of {scale} of the requests");
        return
        [
            ("machine", Machine.Describe()),
            ("nginx", await InstalledProgram.VersionAsync(Nginx.Program, "-v")),
            ("load", await new ApacheBench(directory).DescribeAsync()),
            ("command", $"`{parsed.Text()}`"),
            ("rounds", $"{parsed.GetValue(_rounds)}{size}, interleaved, each with processes that were just started; "
                + "medians; warmed up save where it says cold"),
        ];
    }
}
