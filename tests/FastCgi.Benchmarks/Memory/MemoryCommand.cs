namespace FastCgi.Benchmarks.Memory;

/// <summary><c>memory</c>: what a server keeps after large bodies, and for WebSockets that say nothing.</summary>
internal static class MemoryCommand
{
    private const int Sockets = 1_000;

    /// <summary>Without load, before the last reading.</summary>
    private static readonly TimeSpan s_quiet = TimeSpan.FromMinutes(1);

    public static Command Create()
    {
        var targets = CommandOptions.Choice<Target>("--targets", [.. TargetCatalog.All.OfType<DotnetTarget>()]);
        var rounds = CommandOptions.Number("--rounds", "rounds of each target", 3, least: 1);
        var command = new Command("memory", "Measures what a server keeps after large bodies, and for idle WebSockets.")
        {
            targets, rounds,
        };
        command.SetAction((parsed, _) =>
            RunAsync(parsed.GetValue(targets)!, parsed.GetValue(rounds), parsed.Text()));
        return command;
    }

    private static async Task RunAsync(Target[] targets, int rounds, string command)
    {
        Console.WriteLine($"""
            # Memory

            - machine: {Machine.Describe()}
            - nginx: {await InstalledProgram.VersionAsync(Nginx.Program, "-v")}
            - command: `{command}`
            - rounds: {rounds}, interleaved, each with a process that was just started; medians of the
              proportional set size

            """);
        await MeasureAsync(new TransferLoad(s_quiet), targets, rounds);
        await MeasureAsync(new IdleSocketLoad(Sockets, s_quiet), targets, rounds);
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
