using FastCgi.Benchmarks.Curves.Drawing;
using FastCgi.Benchmarks.Start;

namespace FastCgi.Benchmarks.FirstMinute;

/// <summary><c>first-minute</c>: what a new process serves in each of its first seconds.</summary>
internal static class FirstMinuteCommand
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    private static readonly Workload s_workload = new("start", "/") { Title = "13 bytes", Check = static _ => null };

    private const int Seconds = 30;
    private const int Connections = 32;

    public static Command Create()
    {
        var rounds = CommandOptions.Number("--rounds", "new processes of each", 3, least: 1);
        var settings = new Option<string[]>("--settings")
        {
            Description = "this server once more with such settings of the runtime: TieredPGO=0, or several with + "
                + "between them; sets have commas between them",
            CustomParser = CommandOptions.SplitByCommas,
            DefaultValueFactory = static _ => [],
        };
        var picture = new Option<FileInfo?>("--picture") { Description = "a file for the picture, SVG" };
        var command = new Command("first-minute", "Measures what a new process serves in each of its first seconds.")
        {
            rounds, settings, picture,
        };
        command.SetAction((parsed, _) => RunAsync(
            parsed.GetValue(rounds), parsed.GetValue(settings)!, parsed.GetValue(picture), parsed.Text()));
        return command;
    }

    private static async Task<int> RunAsync(int rounds, string[] settings, FileInfo? picture, string command)
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
            .. settings.Select(set => new StartedTarget(build, ServerKind.FastCgi, set.Split('+'))),
            new(build, ServerKind.Kestrel, []),
        ];
        var order = new LoadOrder(s_workload, Connections, s_second);
        var results = targets.ToDictionary(static target => target, static _ => new List<IReadOnlyList<Second>>());
        for (int round = 1; round <= rounds; round++)
        {
            foreach (var target in targets)
            {
                results[target].Add(await MeasureAsync(target, order));
                long requests = results[target][^1].Sum(static one => one.Load.Requests);
                Console.Error.WriteLine($"round {round}: {target.Name} {requests:N0} requests");
            }
        }

        string title = $"The first {Seconds} seconds of a process; {Connections} connections; keep_conn on";
        Console.Write($"""
            # The first minute

            - machine: {Machine.Describe()}
            - command: `{command}`
            - rounds: {rounds} new processes of each, in turns, behind nginx; a wrk for each second; medians

            ### {title}

            {string.Join('\n', Table(results))}

            """);
        if (picture is not null)
        {
            await File.WriteAllTextAsync(picture.FullName, Draw(title, results, command));
        }

        bool isAnyFailed = results.Values
            .SelectMany(static rounds => rounds)
            .SelectMany(static round => round)
            .Any(static one => one.Load.Failed > 0);
        return isAnyFailed ? 1 : 0;
    }

    /// <summary>A new process, from the moment on when it listens.</summary>
    private static async Task<IReadOnlyList<Second>> MeasureAsync(Target target, LoadOrder order)
    {
        using var directory = new WorkDirectory();
        var wrk = new Wrk(directory.Path);
        await using var running = await RunningTarget.StartAsync(target, directory.Path, order.Connections);
        await using var nginx =
            await Nginx.StartAsync([running], directory.Path, keepConnections: true, order.Connections);
        List<Second> results = [];
        while (results.Count < Seconds)
        {
            var before = running.ReadUsage().Cpu;
            var load = await wrk.RunAsync(nginx.AddressOf(running), order);
            results.Add(new Second(load, running.ReadUsage().Cpu - before));
        }

        return results;
    }

    private static IEnumerable<string> Table(
        IReadOnlyDictionary<StartedTarget, List<IReadOnlyList<Second>>> results)
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
        for (int second = 0; second < Seconds; second++)
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
        string command) => ChartDrawing.Draw(new Chart(
            title,
            "seconds since the process listens",
            Axis.Linear(Seconds, [.. Enumerable.Range(0, Seconds + 1).Where(static second => second % 5 == 0)
                .Select(static second => new Tick(second, Text(second, "0")))]),
            [
                PanelOf("requests per second", results, Rate),
                PanelOf("p99, ms", results, Slowest),
                PanelOf("CPU per request, µs", results, Cpu),
            ],
            [Machine.DescribeHardware(), command]));

    private static Panel PanelOf(
        string title,
        IReadOnlyDictionary<StartedTarget, List<IReadOnlyList<Second>>> results,
        Func<List<IReadOnlyList<Second>>, int, double> value)
    {
        Line[] lines =
        [
            .. results.Select((one, index) => new Line(one.Key.Name, index,
            [
                .. Enumerable.Range(0, Seconds)
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

    /// <param name="Cpu">User and system time of its process.</param>
    private sealed record Second(LoadResult Load, TimeSpan Cpu);
}
