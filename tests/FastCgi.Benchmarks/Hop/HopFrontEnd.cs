namespace FastCgi.Benchmarks.Hop;

/// <summary>One forwarding process for each target. Only the one under load uses CPU time worth counting.</summary>
internal sealed class HopFrontEnd : IFrontEnd
{
    private readonly Dictionary<RunningTarget, RunningTarget> _hops = [];

    private HopFrontEnd()
    {
    }

    public Uri AddressOf(RunningTarget target) => new($"http://{_hops[target].Addresses[0]}/");

    public SessionUsage ReadUsage() => SessionUsage.Sum(_hops.Values.Select(static hop => hop.ReadUsage()));

    /// <exception cref="InvalidOperationException">A hop does not start.</exception>
    public static async Task<HopFrontEnd> StartAsync(
        IReadOnlyList<RunningTarget> targets, string directory, bool keepConnections)
    {
        var front = new HopFrontEnd();
        try
        {
            foreach (var target in targets)
            {
                front._hops[target] = await RunningTarget.StartAsync(
                    new HopTarget(target, keepConnections), directory, connections: 0, isTcp: true);
            }

            return front;
        }
        catch
        {
            await front.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var hop in _hops.Values)
        {
            await hop.DisposeAsync();
        }
    }

    private sealed class HopTarget(RunningTarget backEnd, bool keepConnections) : Target($"hop-{backEnd.Target.Name}")
    {
        public override TargetProtocol Protocol => TargetProtocol.Http;

        public override Task<string?> PrepareAsync() => Task.FromResult<string?>(null);

        public override ProcessCommand Command(TargetSetup setup) => new(
            Environment.ProcessPath!, typeof(HopTarget).Assembly.Location, "forward",
            backEnd.Target.Protocol.ToString(), backEnd.SocketPath, $"{setup.Address}",
            "--keep-conn", $"{keepConnections}");
    }
}
