namespace FastCgi.Benchmarks.Direct;

/// <summary><c>direct</c>: the FastCGI targets without a web server.</summary>
internal sealed class DirectCommand
{
    private readonly ComparisonCommand _comparison =
        new("direct", "Compares the FastCGI targets without a web server, by a load generator that speaks FastCGI.");

    private DirectCommand() => _comparison.Command.SetAction(RunAsync);

    public static Command Create() => new DirectCommand()._comparison.Command;

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        var load = await FastCgiLoad.BuildAsync();
        return await _comparison.RunAsync(
            parsed,
            _comparison.Read(parsed),
            "Without a web server, over unix sockets",
            "generator",
            [("load", "FastCGI records, one request outstanding on each connection, every answer verified")],
            static target => target.Protocol == TargetProtocol.FastCgi ? null : "it does not speak FastCGI",
            (_, directory, keepConnections) =>
                Task.FromResult<IRoute>(new DirectRoute(load, directory, keepConnections)));
    }
}
