using static FastCgi.Benchmarks.Compare.CommandOptions;

namespace FastCgi.Benchmarks.Compare;

/// <summary>What the comparisons have in common: behind nginx, behind a hop and without either.</summary>
internal sealed class ComparisonCommand
{
    private readonly Option<Target[]> _targets = Choice("--targets", TargetCatalog.All);
    private readonly Option<Workload[]> _workloads = Choice("--workloads", WorkloadCatalog.All);

    private readonly Option<int[]> _connections = new("--connections")
    {
        Description = "numbers of connections, with commas between them, each for itself",
        DefaultValueFactory = static _ => [1, 32, 256, 400],
        CustomParser = static result =>
        {
            int[] numbers =
                [.. SplitByCommas(result).Select(static text => int.TryParse(text, out int number) ? number : 0)];
            if (numbers.Any(static number => number < 1))
            {
                result.AddError("--connections needs numbers from 1 on.");
            }

            return numbers;
        },
    };

    private readonly Option<string> _keepConnections = new("--keep-conn")
    {
        Description = "whether connections to the targets are kept: on, off, or both",
        DefaultValueFactory = static _ => "both",
    };

    private readonly Option<int> _rounds = Number("--rounds", "rounds of each target", 5, least: 1);
    private readonly Option<int> _seconds = Number("--seconds", "seconds of one target in one round", 5, least: 1);
    private readonly Option<int> _warmUp =
        Number("--warm-up", "seconds of each target before the first round", 3, least: 0);

    private readonly Option<CommandTarget[]> _peers = Peers(
        "--peer",
        "a further FastCGI back end: name=command, with {socket} where the path of its socket goes",
        TargetProtocol.FastCgi);

    private readonly Option<CommandTarget[]> _httpPeers =
        Peers("--http-peer", "the same for one that speaks HTTP", TargetProtocol.Http);

    /// <param name="setUp">Gets a folder for the files of the load generator.</param>
    public static Command Create(
        string name, string description, Func<ComparisonOptions, string, Task<ComparisonSetup>> setUp)
    {
        var options = new ComparisonCommand();
        var command = new Command(name, description)
        {
            options._targets, options._workloads, options._connections, options._keepConnections, options._rounds,
            options._seconds, options._warmUp, options._peers, options._httpPeers,
        };
        options._keepConnections.AcceptOnlyFromAmong("on", "off", "both");
        command.SetAction((parsed, _) => options.RunAsync(parsed, setUp));
        return command;
    }

    /// <returns>The exit code: 0 when nothing answered wrongly.</returns>
    private async Task<int> RunAsync(
        ParseResult parsed, Func<ComparisonOptions, string, Task<ComparisonSetup>> setUp)
    {
        using var files = new WorkDirectory();
        var options = Read(parsed);
        var setup = await setUp(options, files.Path);
        var report = new Report(setup.FrontName, setup.ComparesFront);
        List<Target> prepared = [];
        List<(Target Target, string Reason)> leftOut = [];
        foreach (var target in options.Targets)
        {
            if ((setup.Refuse(target) ?? await target.PrepareAsync()) is { } reason)
            {
                leftOut.Add((target, reason));
            }
            else
            {
                prepared.Add(target);
            }
        }

        report.WriteHead(
            setup.Title,
            [
                ("machine", Machine.Describe()), .. setup.Facts, ("command", $"`{parsed.Text()}`"),
                ("rounds", options.ToString()),
            ]);
        report.WriteTargets(prepared);
        foreach (var (target, reason) in leftOut)
        {
            report.WriteLeftOut(target.Name, reason);
        }

        return await new Comparison(options, prepared, setup.OpenRoute, report).RunAsync() ? 0 : 1;
    }

    private ComparisonOptions Read(ParseResult parsed) => new()
    {
        Targets =
        [
            .. parsed.GetValue(_targets)!, .. parsed.GetValue(_peers)!, .. parsed.GetValue(_httpPeers)!,
        ],
        Workloads = parsed.GetValue(_workloads)!,
        Connections = parsed.GetValue(_connections)!,
        KeepConnections = parsed.GetValue(_keepConnections) switch
        {
            "on" => [true],
            "off" => [false],
            _ => [true, false],
        },
        Rounds = parsed.GetValue(_rounds),
        Duration = TimeSpan.FromSeconds(parsed.GetValue(_seconds)),
        WarmUp = TimeSpan.FromSeconds(parsed.GetValue(_warmUp)),
    };
}

/// <summary>How one comparison differs from the others.</summary>
internal sealed record ComparisonSetup
{
    public required string Title { get; init; }

    /// <summary>What stands before the targets.</summary>
    public required string FrontName { get; init; }

    /// <summary>The ratios are those of what stands before the targets.</summary>
    public bool ComparesFront { get; init; }

    /// <summary>For the head of the report.</summary>
    public required IReadOnlyList<(string Name, string Value)> Facts { get; init; }

    /// <summary>Says why a target cannot be compared so; null when it can.</summary>
    public Func<Target, string?> Refuse { get; init; } = static _ => null;

    public required OpenRoute OpenRoute { get; init; }
}
