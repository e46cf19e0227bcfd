using System.Text.RegularExpressions;

namespace FastCgi.Benchmarks.Loads;

/// <summary>
/// ab: every request on a connection of its own, as from clients that come once, unless the order keeps them.
/// </summary>
internal sealed partial class ApacheBench(string directory) : IHttpLoad
{
    private readonly string _program = InstalledProgram.Require("ab", "apache2-utils");

    public async Task<string> DescribeAsync() => await InstalledProgram.VersionAsync(_program, "-V");

    public async Task<LoadResult> RunAsync(Uri address, LoadOrder order)
    {
        string percentiles = Path.Combine(directory, "percentiles.csv");
        string body = Path.Combine(directory, $"{order.Workload.Name}.body");
        string[] post = order.Workload.Body is null ? [] : ["-p", body, "-T", order.Workload.ContentType];
        await File.WriteAllBytesAsync(body, order.Workload.Body ?? []);
        var (exitCode, output) = await InstalledProgram.RunInSessionAsync(new ProcessCommand(
            _program,
            [
                "-q", "-r", "-s", "30",
                "-c", $"{order.Connections}",
                "-n", $"{order.Requests}",
                .. order.KeepsConnections ? ["-k"] : Array.Empty<string>(),
                .. order.Workload.VariesInLength ? ["-l"] : Array.Empty<string>(),
                .. order.Workload.Cookie is { } cookie ? ["-H", $"Cookie: {cookie}"] : Array.Empty<string>(),
                "-e", percentiles,
                .. post,
                new Uri(address, order.Workload.Target).ToString(),
            ]));
        if (exitCode != 0)
        {
            throw new InvalidOperationException($"ab ended with {exitCode}: {output}");
        }

        string[] lines = await File.ReadAllLinesAsync(percentiles);
        return new LoadResult(
            (long)Number(output, "Complete requests"),
            (long)(Number(output, "Failed requests") + Number(output, "Non-2xx responses")),
            TimeSpan.FromSeconds(Number(output, "Time taken for tests")),
            Percentile(lines, 50),
            Percentile(lines, 99));
    }

    /// <returns>0 where the line is missing, as that of wrong answers is when there were none.</returns>
    private static double Number(string output, string label) => LabelledNumber().Matches(output)
        .Where(match => match.Groups[1].Value == label)
        .Select(static match => double.Parse(match.Groups[2].Value, CultureInfo.InvariantCulture))
        .FirstOrDefault();

    /// <summary>A line for each percent behind a head: the percent, and milliseconds.</summary>
    private static TimeSpan Percentile(string[] lines, int percent) => TimeSpan.FromMilliseconds(lines
        .Select(static line => line.Split(','))
        .Where(fields => fields[0] == $"{percent}")
        .Select(static fields => double.Parse(fields[1], CultureInfo.InvariantCulture))
        .First());

    [GeneratedRegex(@"^([^:\n]+):\s+([0-9.]+)", RegexOptions.Multiline)]
    private static partial Regex LabelledNumber();
}
