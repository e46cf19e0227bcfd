using FastCgi.Benchmarks.Curves.Drawing;
using FastCgi.Benchmarks.Start;

namespace FastCgi.Benchmarks.FirstMinute;

/// <summary><c>first-minute</c>: what a new process serves in each of its first seconds.</summary>
internal sealed class FirstMinuteCommand
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    private static readonly Workload s_workload = new("start", "/") { Title = "13 bytes", Check = static _ => null };

    private readonly Option<int> _rounds = ComparisonCommand.Number("--rounds", "new processes of each", 3, least: 1);

    private readonly Option<int> _seconds = ComparisonCommand.Number("--seconds", "seconds of each", 30, least: 1);

    private readonly Option<int> _connections =
        ComparisonCommand.Number("--connections", "connections of the load", 32, least: 1);

    private readonly Option<string[]> _settings = new("--settings")
    {
        Description = "this server once more with such settings of the runtime: TieredPGO=0, or several with + between "
            + "them; sets have commas between them",
        CustomParser = ComparisonCommand.SplitByCommas,
        DefaultValueFactory = static _ => [],
    };

    private readonly Option<FileInfo?> _picture = new("--picture") { Description = "a file for the picture, SVG" };

    private FirstMinuteCommand()
    {
        Command = new Command("first-minute", "Measures what a new process serves in each of its first seconds.")
        {
            _rounds, _seconds, _connections, _settings, _picture,
        };
        Command.SetAction(RunAsync);
    }

    private Command Command { get; }

    public static Command Create() => new FirstMinuteCommand().Command;

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        using var directory = new WorkDirectory();
        await StartBuild.PackAsync(directory.Path);
        var build = StartBuild.All[0];
        if (await build.PublishAsync(directory.Path) is { } reason)
        {
            throw new InvalidOperationException(reason);
        }

        StartedTarget[] targets =
        [
            new(build, ServerKind.FastCgi, []),
            .. parsed.GetValue(_settings)!.Select(set => new StartedTarget(build, ServerKind.FastCgi, set.Split('+'))),
            new(build, ServerKind.Kestrel, []),
        ];
        int rounds = parsed.GetValue(_rounds), seconds = parsed.GetValue(_seconds);
        var order = new LoadOrder(s_workload, parsed.GetValue(_connections), s_second);
        var results = targets.ToDictionary(static target => target, static _ => new List<IReadOnlyList<Second>>());
        for (int round = 1; round <= rounds; round++)
        {
            foreach (var target in targets)
            {
                results[target].Add(await MeasureAsync(target, order, seconds));
                long requests = results[target][^1].Sum(static one => one.Load.Requests);
                Console.Error.WriteLine($"round {round}: {target.Name} {requests:N0} requests");
            }
        }

        string command = $"run {string.Join(' ', parsed.Tokens.Select(static token => token.Value))}";
        string title = $"The first {seconds} seconds of a process; {order.Connections} connections; keep_conn on";
        Console.Write($"""
            # The first minute

            - machine: {Machine.Describe()}
            - command: `{command}`
            - rounds: {rounds} new processes of each, in turns, behind nginx; a wrk for each second; medians

            ### {title}

            {string.Join('\n', Table(results, seconds))}

            """);
        if (parsed.GetValue(_picture) is { } picture)
        {
            await File.WriteAllTextAsync(picture.FullName, Draw(title, results, seconds, command), cancellationToken);
        }

        bool isAnyFailed = results.Values
            .SelectMany(static rounds => rounds)
            .SelectMany(static round => round)
            .Any(static one => one.Load.Failed > 0);
        return isAnyFailed ? 1 : 0;
    }

    /// <summary>A new process, from the moment on when it listens.</summary>
    private static async Task<IReadOnlyList<Second>> MeasureAsync(Target target, LoadOrder order, int seconds)
    {
        using var directory = new WorkDirectory();
        var wrk = new Wrk(directory.Path);
        await using var running = await RunningTarget.StartAsync(target, directory.Path, order.Connections);
        await using var nginx =
            await Nginx.StartAsync([running], directory.Path, keepConnections: true, order.Connections);
        List<Second> results = [];
        while (results.Count < seconds)
        {
            var before = running.ReadUsage().Cpu;
            var load = await wrk.RunAsync(nginx.AddressOf(running), order);
            results.Add(new Second(load, running.ReadUsage().Cpu - before));
        }

        return results;
    }

    private static IEnumerable<string> Table(
        IReadOnlyDictionary<StartedTarget, List<IReadOnlyList<Second>>> results, int seconds)
    {
        var kestrel = results[results.Keys.Last()];
        string[] titles =
        [
            "second",
            .. results.Keys.Select(static target => $"{target.Name} requests/s"),
            .. results.Keys.SkipLast(1).Select(static target => $"{target.Name} ÷ kestrel"),
            .. results.Keys.Select(static target => $"{target.Name} p99 ms"),
            .. results.Keys.Select(static target => $"{target.Name} CPU µs"),
        ];
        yield return $"| {string.Join(" | ", titles)} |";
        yield return $"|{string.Concat(Enumerable.Repeat(" ---: |", titles.Length))}";
        for (int second = 0; second < seconds; second++)
        {
            double ofKestrel = Rate(kestrel, second);
            string[] cells =
            [
                Text(second + 1, "0"),
                .. results.Values.Select(rounds => Text(Rate(rounds, second), "N0")),
                .. results.Values.SkipLast(1).Select(rounds => Text(Rate(rounds, second) / ofKestrel, "F2")),
                .. results.Values.Select(rounds => Text(Slowest(rounds, second), "F1")),
                .. results.Values.Select(rounds => Text(Cpu(rounds, second), "F1")),
            ];
            yield return $"| {string.Join(" | ", cells)} |";
        }
    }

    private static string Draw(
        string title,
        IReadOnlyDictionary<StartedTarget, List<IReadOnlyList<Second>>> results,
        int seconds,
        string command) => ChartDrawing.Draw(new Chart(
            title,
            "seconds since the process listens",
            Axis.Linear(seconds, [.. Enumerable.Range(0, seconds + 1).Where(static second => second % 5 == 0)
                .Select(static second => new Tick(second, Text(second, "0")))]),
            [
                PanelOf("requests per second", results, seconds, Rate),
                PanelOf("p99, ms", results, seconds, Slowest),
                PanelOf("CPU per request, µs", results, seconds, Cpu),
            ],
            [Machine.DescribeHardware(), command]));

    private static Panel PanelOf(
        string title,
        IReadOnlyDictionary<StartedTarget, List<IReadOnlyList<Second>>> results,
        int seconds,
        Func<List<IReadOnlyList<Second>>, int, double> value)
    {
        Line[] lines =
        [
            .. results.Select((one, index) => new Line(one.Key.Name, index,
            [
                .. Enumerable.Range(0, seconds)
                    .Select(second => new Point(second + 1, value(one.Value, second), IsHollow: false)),
            ])),
        ];
        return new Panel(title, Axis.Linear(lines.Max(static line => line.Points.Max(static point => point.Y))), lines);
    }

    private static double Rate(List<IReadOnlyList<Second>> rounds, int second) =>
        Statistics.Median(rounds.Select(round => round[second].Load).Select(
            static load => load.Requests / load.Duration.TotalSeconds));

    private static double Slowest(List<IReadOnlyList<Second>> rounds, int second) =>
        Statistics.Median(rounds.Select(round => round[second].Load.Percentile99.TotalMilliseconds));

    private static double Cpu(List<IReadOnlyList<Second>> rounds, int second) => Statistics.Median(
        rounds.Select(round => round[second].Cpu.TotalMicroseconds / Math.Max(1, round[second].Load.Requests)));

    private static string Text(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);

    /// <param name="Load">What it answered.</param>
    /// <param name="Cpu">User and system time of its process.</param>
    private sealed record Second(LoadResult Load, TimeSpan Cpu);
}
