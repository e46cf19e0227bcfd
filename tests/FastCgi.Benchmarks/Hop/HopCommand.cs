namespace FastCgi.Benchmarks.Hop;

/// <summary><c>hop</c>: Kestrel that forwards by MapFastCgi, beside Kestrel that forwards by HttpClient.</summary>
internal sealed class HopCommand
{
    private readonly ComparisonCommand _comparison = new(
        "hop", "Compares MapFastCgi to this server with an HttpClient forwarder to Kestrel. Both hops run on Kestrel.");

    private HopCommand() => _comparison.Command.SetAction(RunAsync);

    public static Command Create() => new HopCommand()._comparison.Command;

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        using var files = new WorkDirectory();
        var load = new Wrk(files.Path);
        return await _comparison.RunAsync(
            parsed,
            _comparison.Read(parsed),
            "Through one hop on Kestrel, over unix sockets",
            "hop",
            [("load", await load.DescribeAsync())],
            static target => target is DotnetTarget ? null : "the hop has no forwarder for it",
            async (targets, directory, keepConnections) => new HttpRoute(
                await HopFrontEnd.StartAsync(targets, directory, keepConnections), load),
            comparesFront: true);
    }
}
