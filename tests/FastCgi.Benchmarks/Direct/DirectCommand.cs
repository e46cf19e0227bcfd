namespace FastCgi.Benchmarks.Direct;

/// <summary><c>direct</c>: the FastCGI targets without a web server.</summary>
internal static class DirectCommand
{
    public static Command Create() => ComparisonCommand.Create(
        "direct",
        "Compares the FastCGI targets without a web server, by a load generator that speaks FastCGI.",
        static async (_, _) =>
        {
            var load = await FastCgiLoad.BuildAsync();
            return new ComparisonSetup
            {
                Title = "Without a web server, over unix sockets",
                FrontName = "generator",
                Facts =
                [
                    ("load", "FastCGI records, one request outstanding on each connection, every answer verified"),
                ],
                Refuse = static target =>
                    target.Protocol == TargetProtocol.FastCgi ? null : "it does not speak FastCGI",
                OpenRoute = (_, directory, keepConnections) =>
                    Task.FromResult<IRoute>(new DirectRoute(load, directory, keepConnections)),
            };
        });
}
