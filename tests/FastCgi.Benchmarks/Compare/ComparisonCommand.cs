using System.CommandLine.Parsing;

namespace FastCgi.Benchmarks.Compare;

/// <summary>The options that both comparisons have, behind nginx and without.</summary>
internal sealed class ComparisonCommand
{
    private readonly Option<string[]> _targets = List(
        "--targets", "targets, all of them unless given", TargetCatalog.All.Select(static target => target.Name));

    private readonly Option<string[]> _workloads = List(
        "--workloads",
        "workloads, all of them unless given",
        WorkloadCatalog.All.Select(static workload => workload.Name));

    private readonly Option<string[]> _connections = List(
        "--connections", "numbers of connections, each for itself", ["1", "32", "256", "400"]);

    private readonly Option<string> _keepConnections = new("--keep-conn")
    {
        Description = "whether connections to the targets are kept: on, off, or both",
        DefaultValueFactory = static _ => "both",
    };

    private readonly Option<int> _rounds = Number("--rounds", "rounds of each target", 5, least: 1);
    private readonly Option<int> _seconds = Number("--seconds", "seconds of one target in one round", 5, least: 1);
    private readonly Option<int> _warmUp =
        Number("--warm-up", "seconds of each target before the first round", 3, least: 0);

    private readonly Option<string[]> _peers = new("--peer")
    {
        Description = "a further FastCGI back end: name=command, with {socket} where the path of its socket goes",
    };

    private readonly Option<string[]> _httpPeers = new("--http-peer")
    {
        Description = "the same for one that speaks HTTP",
    };

    private readonly Option<FileInfo?> _output = new("--output")
    {
        Description = "a file for the tables, besides standard output",
    };

    public ComparisonCommand(string name, string description)
    {
        Command = new Command(name, description)
        {
            _targets, _workloads, _connections, _keepConnections, _rounds, _seconds, _warmUp,
            _peers, _httpPeers, _output,
        };
        _keepConnections.AcceptOnlyFromAmong("on", "off", "both");
        Refuse(_targets, static text => TargetCatalog.All.Any(target => target.Name == text));
        Refuse(_workloads, static text => WorkloadCatalog.All.Any(workload => workload.Name == text));
        Refuse(_connections, static text => int.TryParse(text, out int number) && number > 0);
        Refuse(_peers, static text => CommandTarget.TryParse(text, TargetProtocol.FastCgi) is not null);
        Refuse(_httpPeers, static text => CommandTarget.TryParse(text, TargetProtocol.Http) is not null);
    }

    public Command Command { get; }

    public ComparisonOptions Read(ParseResult parsed) => new()
    {
        Targets =
        [
            .. TargetCatalog.All.Where(target => parsed.GetValue(_targets)!.Contains(target.Name)),
            .. Peers(parsed.GetValue(_peers), TargetProtocol.FastCgi),
            .. Peers(parsed.GetValue(_httpPeers), TargetProtocol.Http),
        ],
        Workloads = [.. WorkloadCatalog.All.Where(workload => parsed.GetValue(_workloads)!.Contains(workload.Name))],
        Connections = [.. parsed.GetValue(_connections)!.Select(int.Parse)],
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

    /// <summary>Prepares the targets, writes the head of the report, and compares.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="options">What it says.</param>
    /// <param name="title">Of the report.</param>
    /// <param name="frontName">What stands before the targets.</param>
    /// <param name="facts">For the head of the report.</param>
    /// <param name="refuse">Says why a target cannot be compared so; null when it can.</param>
    /// <param name="openRoute">How requests come to the targets.</param>
    /// <param name="comparesFront">Whether the ratios are those of what stands before the targets.</param>
    /// <returns>The exit code: 0 when nothing answered wrongly.</returns>
    public async Task<int> RunAsync(
        ParseResult parsed,
        ComparisonOptions options,
        string title,
        string frontName,
        IReadOnlyList<(string Name, string Value)> facts,
        Func<Target, string?> refuse,
        OpenRoute openRoute,
        bool comparesFront = false)
    {
        using var file = parsed.GetValue(_output)?.CreateText();
        var report = new Report(file is null ? [Console.Out] : [Console.Out, file], frontName, comparesFront);
        string command = string.Join(' ', parsed.Tokens.Select(static token => token.Value));
        (string, string)[] allFacts =
        [
            ("machine", Machine.Describe()), .. facts, ("command", $"`run {command}`"), ("rounds", options.ToString()),
        ];

        List<Target> prepared = [];
        List<(Target Target, string Reason)> leftOut = [];
        foreach (var target in options.Targets)
        {
            if ((refuse(target) ?? await target.PrepareAsync()) is { } reason)
            {
                leftOut.Add((target, reason));
            }
            else
            {
                prepared.Add(target);
            }
        }

        report.WriteHead(title, allFacts);
        report.WriteTargets(prepared);
        foreach (var (target, reason) in leftOut)
        {
            report.WriteLeftOut(target.Name, reason);
        }

        return await new Comparison(options, prepared, openRoute, report).RunAsync() ? 0 : 1;
    }

    private static IEnumerable<Target> Peers(string[]? texts, TargetProtocol protocol) =>
        (texts ?? []).Select(text => CommandTarget.TryParse(text, protocol)!);

    /// <summary>Values with commas between them.</summary>
    internal static Option<string[]> List(string name, string description, IEnumerable<string> values) => new(name)
    {
        Description = $"{description}: {string.Join(',', values)}",
        DefaultValueFactory = _ => [.. values],
        CustomParser = SplitByCommas,
    };

    /// <summary>The values of an option that takes several.</summary>
    internal static string[] SplitByCommas(ArgumentResult result) =>
        [.. result.Tokens.SelectMany(static token => token.Value.Split(','))];

    internal static Option<int> Number(string name, string description, int value, int least)
    {
        var option = new Option<int>(name) { Description = description, DefaultValueFactory = _ => value };
        option.Validators.Add(result =>
        {
            if (result.Tokens is [var token] && (!int.TryParse(token.Value, out int number) || number < least))
            {
                result.AddError($"{name} needs a number from {least} on.");
            }
        });
        return option;
    }

    internal static void Refuse(Option<string[]> option, Func<string, bool> isRight) =>
        option.Validators.Add(result =>
        {
            foreach (string text in (result.GetValueOrDefault<string[]>() ?? []).Where(text => !isRight(text)))
            {
                result.AddError($"{option.Name}: '{text}' is none of them.");
            }
        });
}
