namespace FastCgi.WebServerKit.Network;

/// <summary>
/// A network of several machines: network namespaces, each with a cable to one bridge. All of it lives in namespaces of
/// one process that holds it, so that nothing is left when that process ends, and this machine's network never changes.
/// </summary>
internal sealed class TestNetwork : IAsyncDisposable
{
    /// <summary>The machines' addresses count from 10.0.0.10.</summary>
    private const int FirstHost = 10;

    private readonly WorkDirectory _directory;
    private readonly ChildProcess _holder;
    private int _processId;

    private TestNetwork(WorkDirectory directory, ChildProcess holder, IReadOnlyList<string> names)
    {
        _directory = directory;
        _holder = holder;
        Machines = [.. names.Select((name, i) => new TestMachine(this, name, Address(i)))];
    }

    public IReadOnlyList<TestMachine> Machines { get; }

    /// <summary>Machines of these names, at 10.0.0.10, 10.0.0.11 and so on.</summary>
    public static async Task<TestNetwork> StartAsync(params IReadOnlyList<string> names)
    {
        InstalledProgram.Find("ip");
        InstalledProgram.Find("nsenter");
        InstalledProgram.Require(Environment.IsPrivilegedProcess, "Network namespaces need root, and this process is not.");
        const string Script = """
            set -e
            mount -t tmpfs tmpfs /run
            mkdir /run/netns
            ip link add lan type bridge
            ip link set lan up
            while read -r name address; do
                ip netns add "$name"
                ip link add "$name" type veth peer name eth0 netns "$name"
                ip link set "$name" master lan up
                ip -n "$name" addr add "$address/24" dev eth0
                ip -n "$name" link set lo up
                ip -n "$name" link set eth0 up
            done <"$0"
            echo "network $$ is ready"
            exec sleep infinity
            """;
        var directory = new WorkDirectory();
        var list = directory.File("machines");
        await File.WriteAllLinesAsync(list, names.Select(static (name, i) => $"{name} {Address(i)}"));
        var holder = ChildProcess.Start(
            "unshare", ["--net", "--mount", "--propagation", "private", "bash", "-c", Script, list], directory.Path);
        return await new TestNetwork(directory, holder, names).StartedAsync(async network =>
        {
            var ready = holder.Log.FirstAsync(static line => line.StartsWith("network ", StringComparison.Ordinal));
            await Task.WhenAny(ready, holder.Ended).Within("the network", holder.Log.ToString);
            InstalledProgram.Require(ready.IsCompleted, $"Network namespaces are not permitted here: {holder.Log}");
            network._processId = int.Parse((await ready).Split(' ')[1], CultureInfo.InvariantCulture);
        });
    }

    /// <summary>Starts a program inside the namespaces; on a machine, or beside all of them.</summary>
    public ChildProcess Start(
        string? machine,
        string program,
        IEnumerable<string> arguments,
        string directory,
        IReadOnlyDictionary<string, string>? environment = null)
    {
        string[] enter = machine is null ? ["--net"] : ["ip", "netns", "exec", machine];
        return ChildProcess.Start(
            "nsenter",
            [$"--target={_processId}", "--mount", .. enter, "env", $"--chdir={directory}", program, .. arguments],
            directory,
            environment);
    }

    public async ValueTask DisposeAsync()
    {
        await _holder.DisposeAsync();
        _directory.Dispose();
    }

    /// <summary>Pulls the cable of a machine, or plugs it in. Packets vanish; no end of a connection learns of it.</summary>
    public async Task ConnectAsync(string machine, bool isConnected)
    {
        await using var change = Start(
            null, "ip", ["link", "set", machine, isConnected ? "up" : "down"], _directory.Path);
        Assert.True(await change.WaitAsync("a change of the network") == 0, change.Log.ToString());
    }

    private static IPAddress Address(int index) =>
        IPAddress.Parse(string.Create(CultureInfo.InvariantCulture, $"10.0.0.{FirstHost + index}"));
}
