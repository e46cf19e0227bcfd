using System.Runtime.InteropServices;

namespace FastCgi.Benchmarks.Start;

/// <summary><c>start</c>: how long a server takes to its first answer, and its memory at rest.</summary>
internal static class StartCommand
{
    private static readonly ServerKind[] s_servers = [ServerKind.FastCgi, ServerKind.Kestrel];

    public static Command Create()
    {
        var builds = CommandOptions.Choice("--builds", StartBuild.All);
        var rounds = CommandOptions.Number("--rounds", "starts of each", 10, least: 1);
        var command = new Command("start", "Measures the time to the first answer, and memory at rest.")
        {
            builds, rounds,
        };
        command.SetAction((parsed, _) =>
            RunAsync(parsed.GetValue(builds)!, parsed.GetValue(rounds), parsed.Text()));
        return command;
    }

    private static async Task<int> RunAsync(StartBuild[] wanted, int rounds, string command)
    {
        using var directory = new WorkDirectory();
        var client = await StartClient.BuildAsync(directory.Path);
        Console.WriteLine($"""
            # Start

            - machine: {Machine.Describe()}
            - versions: {RuntimeInformation.FrameworkDescription}
            - command: `bash tests/FastCgi.Benchmarks/{command}`
            - rounds: {rounds} starts of each, interleaved, after one that fills the page cache; median (least to most)

            """);
        Console.Error.WriteLine("packing");
        await StartBuild.PackAsync(directory.Path);
        List<StartBuild> builds = [];
        foreach (var build in wanted)
        {
            Console.Error.WriteLine($"building {build.Name}");
            if (await build.PublishAsync(directory.Path) is { } reason)
            {
                Console.WriteLine($"- **{build.Name}** is left out: {reason}\n");
            }
            else
            {
                builds.Add(build);
            }
        }

        Console.WriteLine(string.Join('\n', Table(builds, await MeasureAsync(client, builds, rounds))));
        return builds.Count == 0 ? 1 : 0;
    }

    private static async Task<ILookup<(StartBuild Build, ServerKind Server), StartSample>> MeasureAsync(
        StartClient client, IReadOnlyList<StartBuild> builds, int rounds)
    {
        List<(StartBuild Build, ServerKind Server, StartSample Sample)> samples = [];
        for (int round = 0; round <= rounds; round++)
        {
            foreach (var build in builds)
            {
                foreach (var server in s_servers)
                {
                    var sample = await client.RunAsync(build, server);
                    if (round > 0)
                    {
                        samples.Add((build, server, sample));
                        Console.Error.WriteLine($"round {round}: {build.Name} on {server} {sample.Milliseconds:N0} ms, "
                            + $"CPU {sample.ProcessorMilliseconds:N0} ms");
                    }
                }
            }
        }

        return samples.ToLookup(static one => (one.Build, one.Server), static one => one.Sample);
    }

    private static IEnumerable<string> Table(
        IReadOnlyList<StartBuild> builds, ILookup<(StartBuild Build, ServerKind Server), StartSample> samples)
    {
        yield return "## From the start to the first answer";
        yield return "";
        yield return "| build | server | first answer ms | ÷ Kestrel | CPU ms until then | ÷ Kestrel "
            + "| PSS at rest MiB | ÷ Kestrel | RSS at rest MiB |";
        yield return "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";
        foreach (var build in builds)
        {
            foreach (var server in s_servers)
            {
                StartSample[] own = [.. samples[(build, server)]], kestrel = [.. samples[(build, ServerKind.Kestrel)]];
                yield return $"| {build.Name} | {(server == ServerKind.FastCgi ? "this server" : "Kestrel")} "
                    + $"| {Spread(own, static sample => sample.Milliseconds)} "
                    + $"| {Ratio(own, kestrel, static sample => sample.Milliseconds)} "
                    + $"| {Spread(own, static sample => sample.ProcessorMilliseconds)} "
                    + $"| {Ratio(own, kestrel, static sample => sample.ProcessorMilliseconds)} "
                    + $"| {Spread(own, static sample => sample.ProportionalMebibytes)} "
                    + $"| {Ratio(own, kestrel, static sample => sample.ProportionalMebibytes)} "
                    + $"| {Spread(own, static sample => sample.ResidentMebibytes)} |";
            }
        }
    }

    private static string Spread(StartSample[] samples, Func<StartSample, double> value) => string.Create(
        CultureInfo.InvariantCulture,
        $"{Statistics.Median(samples.Select(value)):F1} ({samples.Min(value):F1} to {samples.Max(value):F1})");

    private static string Ratio(StartSample[] samples, StartSample[] references, Func<StartSample, double> value) =>
        (Statistics.Median(samples.Select(value)) / Statistics.Median(references.Select(value)))
            .ToString("F2", CultureInfo.InvariantCulture);
}
