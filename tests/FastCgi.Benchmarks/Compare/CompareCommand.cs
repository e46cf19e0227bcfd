namespace FastCgi.Benchmarks.Compare;

/// <summary><c>compare</c>: all targets behind one nginx.</summary>
internal static class CompareCommand
{
    public static Command Create() => ComparisonCommand.Create(
        "compare",
        "Compares all targets behind one nginx.",
        static async (options, files) =>
        {
            var load = new LoadByWorkload(new Wrk(files));
            return new ComparisonSetup
            {
                Title = "Behind one nginx, over unix sockets",
                FrontName = "nginx",
                Facts =
                [
                    ("nginx", await InstalledProgram.VersionAsync(Nginx.Program, "-v")),
                    ("load", await load.DescribeAsync()),
                ],
                OpenRoute = async (targets, directory, keepConnections) => new HttpRoute(
                    await Nginx.StartAsync(targets, directory, keepConnections, options.MostConnections), load),
            };
        });
}
