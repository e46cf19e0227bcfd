namespace FastCgi.Benchmarks.Hop;

/// <summary><c>hop</c>: Kestrel that forwards by MapFastCgi, beside Kestrel that forwards by HttpClient.</summary>
internal static class HopCommand
{
    public static Command Create() => ComparisonCommand.Create(
        "hop",
        "Compares MapFastCgi to this server with an HttpClient forwarder to Kestrel. Both hops run on Kestrel.",
        static async (_, files) =>
        {
            var load = new Wrk(files);
            return new ComparisonSetup
            {
                Title = "Through one hop on Kestrel, over unix sockets",
                FrontName = "hop",
                ComparesFront = true,
                Facts = [("load", await load.DescribeAsync())],
                Refuse = static target => target is DotnetTarget ? null : "the hop has no forwarder for it",
                OpenRoute = async (targets, directory, keepConnections) => new HttpRoute(
                    await HopFrontEnd.StartAsync(targets, directory, keepConnections), load),
            };
        });
}
