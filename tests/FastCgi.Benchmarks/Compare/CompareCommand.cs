namespace FastCgi.Benchmarks.Compare;

/// <summary><c>compare</c>: all targets behind one nginx.</summary>
internal sealed class CompareCommand
{
    private readonly ComparisonCommand _comparison = new("compare", "Compares all targets behind one nginx.");

    private readonly Option<string> _client = new("--client")
    {
        Description = "wrk, which keeps its connections, or ab, which opens one for each request",
        DefaultValueFactory = static _ => "wrk",
    };

    private CompareCommand()
    {
        _client.AcceptOnlyFromAmong("wrk", "ab");
        _comparison.Command.Add(_client);
        _comparison.Command.SetAction(RunAsync);
    }

    public static Command Create() => new CompareCommand()._comparison.Command;

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        var options = _comparison.Read(parsed);
        using var files = new WorkDirectory();
        var load = new LoadByWorkload(
            parsed.GetValue(_client) == "ab" ? new ApacheBench(files.Path) : new Wrk(files.Path));
        return await _comparison.RunAsync(
            parsed,
            options,
            "Behind one nginx, over unix sockets",
            "nginx",
            [
                ("nginx", await InstalledProgram.VersionAsync(Nginx.Program, "-v")),
                ("load", await load.DescribeAsync()),
            ],
            static _ => null,
            async (targets, directory, keepConnections) => new HttpRoute(
                await Nginx.StartAsync(targets, directory, keepConnections, options.MostConnections), load));
    }
}
