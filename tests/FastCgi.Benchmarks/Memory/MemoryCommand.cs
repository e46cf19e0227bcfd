namespace FastCgi.Benchmarks.Memory;

/// <summary><c>memory</c>: what a server keeps after large bodies, and for WebSockets that say nothing.</summary>
internal sealed class MemoryCommand
{
    private static readonly string[] s_parts = ["transfers", "websockets"];
    private static readonly string[] s_names = ["fastcgi", "scgi", "kestrel"];

    private readonly Option<string[]> _wanted = ComparisonCommand.List("--parts", "all of them unless given", s_parts);

    private readonly Option<string[]> _targets =
        ComparisonCommand.List("--targets", "targets, all of them unless given", s_names);

    private readonly Option<int> _rounds = ComparisonCommand.Number("--rounds", "rounds of each target", 3, least: 1);

    private readonly Option<int> _quiet =
        ComparisonCommand.Number("--quiet", "seconds without load before the last reading", 60, least: 1);

    private readonly Option<int> _sockets = ComparisonCommand.Number("--sockets", "WebSockets", 1000, least: 1);

    private MemoryCommand()
    {
        Command = new Command("memory", "Measures what a server keeps after large bodies, and for idle WebSockets.")
        {
            _wanted, _targets, _rounds, _quiet, _sockets,
        };
        ComparisonCommand.Refuse(_wanted, s_parts.Contains);
        ComparisonCommand.Refuse(_targets, s_names.Contains);
        Command.SetAction(RunAsync);
    }

    private Command Command { get; }

    public static Command Create() => new MemoryCommand().Command;

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        Target[] targets =
            [.. TargetCatalog.All.Where(target => parsed.GetValue(_targets)!.Contains(target.Name))];
        var quiet = TimeSpan.FromSeconds(parsed.GetValue(_quiet));
        string command = string.Join(' ', parsed.Tokens.Select(static token => token.Value));
        Console.WriteLine($"""
            # Memory

            - machine: {Machine.Describe()}
            - nginx: {await InstalledProgram.VersionAsync(Nginx.Program, "-v")}
            - command: `run {command}`
            - rounds: {parsed.GetValue(_rounds)}, interleaved, each with a process that was just started; medians of the
              proportional set size

            """);
        foreach (string part in s_parts.Where(parsed.GetValue(_wanted)!.Contains))
        {
            MemoryLoad load = part == "transfers"
                ? new TransferLoad(quiet)
                : new IdleSocketLoad(parsed.GetValue(_sockets), quiet);
            await MeasureAsync(load, targets, parsed.GetValue(_rounds));
        }

        return 0;
    }

    private static async Task MeasureAsync(MemoryLoad load, Target[] targets, int rounds)
    {
        Target[] able = [.. targets.Where(load.Fits)];
        var readings = able.ToDictionary(static target => target, static _ => new List<IReadOnlyList<double>>());
        for (int round = 1; round <= rounds; round++)
        {
            foreach (var target in able)
            {
                using var directory = new WorkDirectory();
                await using var running = await RunningTarget.StartAsync(target, directory.Path, load.Connections);
                await using var nginx = await Nginx.StartAsync([running], directory.Path, true, load.Connections);
                readings[target].Add(await load.RunAsync(nginx, running, directory.Path));
                Console.Error.WriteLine($"{load.Title}, round {round}: {target.Name} {Format(readings[target][^1])}");
            }
        }

        Console.WriteLine($"## {load.Title}\n\n| target | {string.Join(" | ", load.Columns)} |");
        Console.WriteLine($"| --- |{string.Concat(Enumerable.Repeat(" ---: |", load.Columns.Count))}");
        foreach (var target in able)
        {
            var medians = load.Columns.Select((_, column) =>
                Statistics.Median(readings[target].Select(row => row[column])));
            Console.WriteLine($"| {target.Name} | {Format(medians)} |");
        }

        Console.WriteLine();
    }

    private static string Format(IEnumerable<double> values) => string.Join(
        " | ", values.Select(static value => value.ToString("N1", CultureInfo.InvariantCulture)));
}
