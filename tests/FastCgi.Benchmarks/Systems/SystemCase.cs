namespace FastCgi.Benchmarks.Systems;

/// <summary>One table: one load on every target of a scenario.</summary>
/// <param name="Connections">One request at a time on each.</param>
internal sealed record SystemCase(Workload Workload, int Requests, int Connections)
{
    private const int FewestRequests = 100;

    /// <summary>ab's <c>-k</c>.</summary>
    public bool KeepsClientConnections { get; init; }

    /// <summary>Whether nginx keeps its connections to the targets.</summary>
    public bool KeepsConnections { get; init; } = true;

    /// <summary>Of each target, behind one upstream.</summary>
    public int Processes { get; init; } = 1;

    /// <summary>On ports, for targets that know nothing else.</summary>
    public bool IsTcp { get; init; }

    /// <summary>Requests before those that count, in a process that was just started; none: it is measured cold.</summary>
    public int WarmUp { get; init; }

    public string Command =>
        $"ab -n {Requests} -c {Connections}{(KeepsClientConnections ? " -k" : "")} {Workload.Target}";

    public LoadOrder Order => new(Workload, Connections, TimeSpan.Zero)
    {
        Requests = Requests,
        KeepsConnections = KeepsClientConnections,
    };

    /// <summary>
    /// The same with fewer requests: as many as there are connections at least, and as many as ab needs for percentiles.
    /// </summary>
    public SystemCase Scale(double factor) => this with
    {
        Requests = Part(Requests, factor),
        WarmUp = WarmUp == 0 ? 0 : Part(WarmUp, factor),
    };

    private int Part(int requests, double factor) =>
        Math.Max((int)(requests * factor), Math.Max(Connections, FewestRequests));
}
