namespace FastCgi.Benchmarks.Loads;

/// <summary>wrk: kept connections, one request at a time on each. A script of ours has it print its counts.</summary>
internal sealed class Wrk(string directory) : IHttpLoad
{
    private const string Mark = "result ";

    private readonly string _program = InstalledProgram.Require("wrk", "wrk");

    public async Task<string> DescribeAsync() => await InstalledProgram.VersionAsync(_program, "--version");

    public async Task<LoadResult> RunAsync(Uri address, LoadOrder order)
    {
        var (exitCode, output) = await InstalledProgram.RunInSessionAsync(new ProcessCommand(
            _program,
            "--threads", $"{Math.Min(Environment.ProcessorCount, order.Connections)}",
            "--connections", $"{order.Connections}",
            "--duration", $"{order.Duration.TotalSeconds:F0}s",
            "--timeout", "30s",
            "--script", WriteScript(order.Workload),
            new Uri(address, order.Workload.Target).ToString()));
        string? line = output.Split('\n')
            .FirstOrDefault(static line => line.StartsWith(Mark, StringComparison.Ordinal));
        if (exitCode != 0 || line is null)
        {
            throw new InvalidOperationException($"wrk ended with {exitCode}: {output}");
        }

        return LoadResult.Parse(line[Mark.Length..]);
    }

    /// <remarks>wrk counts as wrong what has a status of 400 or more; nothing here redirects.</remarks>
    private string WriteScript(Workload workload)
    {
        string script = Path.Combine(directory, $"{workload.Name}.lua");
        string body = Path.Combine(directory, $"{workload.Name}.body");
        File.WriteAllBytes(body, workload.Body ?? []);
        string request = workload.Body is null ? "" : $"""
            wrk.method = "{workload.Method}"
            wrk.body = io.open("{body}", "rb"):read("*a")
            wrk.headers["Content-Type"] = "{workload.ContentType}"
            """;
        File.WriteAllText(script, $$"""
            {{request}}

            function done(summary, latency, requests)
                local errors = summary.errors
                local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
                print(string.format("{{Mark}}%d %d %d %d %d", summary.requests, failed, summary.duration,
                    latency:percentile(50), latency:percentile(99)))
            end

            """);
        return script;
    }
}
