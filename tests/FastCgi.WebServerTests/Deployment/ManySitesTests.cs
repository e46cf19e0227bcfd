using System.Diagnostics;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>
/// Many sites of the documented template units: none runs, the first request starts each, ten are alive at once, none
/// runs after the idle time, and memory is back. The variable FASTCGI_SITES gives another number for the long proof
/// "bash tests/run --long sites", which also compares the machine's memory.
/// </summary>
[Trait("Category", "Slow")]
public sealed class ManySitesTests(ITestOutputHelper output)
{
    private const int UsualSites = 6;
    private const int AliveAtOnce = 10;

    /// <summary>In MiB. systemd keeps some KiB about each unit that ran; a site uses more than this.</summary>
    private const double KeptByManager = 8;

    private static readonly CultureInfo _invariant = CultureInfo.InvariantCulture;
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(2);

    /// <summary>Two seconds of idle time, a tenth, a check each second; the rest is for a busy machine.</summary>
    private static readonly TimeSpan _end = TimeSpan.FromSeconds(30);

    private static readonly int? _given = RunSettings.Number("FASTCGI_SITES");

    [Fact]
    public async Task Sites_start_when_they_are_asked_and_end_when_nobody_asks()
    {
        string[] sites = [.. Enumerable.Range(1, _given ?? UsualSites).Select(static i => $"shop{i}")];
        await using var manager = await UserSystemd.StartAsync("FastCgi__ExitWhenIdleFor=00:00:02");
        await manager.RunAsync(["start", .. sites.Select(static site => $"site@{site}.socket")]);
        Assert.Empty(await RunningAsync(manager));
        var before = MemoryFigures.Of(manager);
        Write($"=> before: {before}");

        var times = new List<double>();
        var peak = before;
        foreach (var group in sites.Chunk(AliveAtOnce))
        {
            using var directory = new WorkDirectory();
            var asked = await Task.WhenAll(group.Select(site => AskAsync(manager, directory, site)));
            times.AddRange(asked.Select(static answer => answer.Seconds));
            // A kept connection keeps its process.
            Assert.Equal(
                group.Select(static site => $"site@{site}.service").Order(), (await RunningAsync(manager)).Order());
            var alive = MemoryFigures.Of(manager);
            Assert.Equal(before.Sites + group.Length, alive.Sites);
            Assert.True(
                alive.Used - before.Used > group.Length * KeptByManager, $"before: {before}; alive: {alive}");
            peak = alive.Used > peak.Used ? alive : peak;
            foreach (var (peer, _) in asked)
            {
                await peer.DisposeAsync();
            }

            var watch = Stopwatch.StartNew();
            await NoneRunsAsync(manager).Within("the end of idle sites", () => manager.Log, _end);
            var seconds = string.Join(' ', asked.Select(static answer => answer.Seconds.ToString("0.0", _invariant)));
            Write(string.Create(
                _invariant,
                $"=> {group[0]} to {group[^1]}: first answers after {seconds} s; alive: {alive}; none runs " +
                $"{watch.Elapsed.TotalSeconds:0.0} s after the last connection"));
        }

        times.Sort();
        var after = await BackAsync(manager, before, peak);
        Write($"=> after: {after}");
        Write(string.Create(
            _invariant,
            $"=> sites: {sites.Length} sites, at most {peak.Sites - before.Sites} alive at once; " +
            $"first answers after {times[0]:0.0} to {times[^1]:0.0} s, median {times[times.Count / 2]:0.0} s; " +
            $"those alive used {peak.Used - before.Used:0} MiB; at the end none runs"));
    }

    private static async Task<(ScriptedPeer Peer, double Seconds)> AskAsync(
        UserSystemd manager, WorkDirectory directory, string site)
    {
        // Longer than a unix socket's path may be: a link in a short directory.
        var link = directory.File(site);
        File.CreateSymbolicLink(link, manager.SocketPath(site));
        var watch = Stopwatch.StartNew();
        var peer = await ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(link));
        peer.Timeout = _patience;
        Assert.Equal(site, (await peer.RoundTripAsync(new RequestScript())).BodyText);
        return (peer, watch.Elapsed.TotalSeconds);
    }

    /// <summary>
    /// No process of a site, and the memory of before. The long proof also compares memory of no process, where sockets
    /// and files in memory would show that a site left: half of what ten sites used, so 1 MiB for each of a hundred.
    /// Other programs change the machine's available memory by more than that, and this one by some 40 MiB.
    /// </summary>
    private static async Task<MemoryFigures> BackAsync(UserSystemd manager, MemoryFigures before, MemoryFigures peak)
    {
        var leftAtMost = (peak.Used - before.Used) / 2;
        var (watch, limit) = (Stopwatch.StartNew(), Deadline.Of(_patience));
        var after = MemoryFigures.Of(manager);
        while (_given is not null && after.OfNoProcess - before.OfNoProcess > leftAtMost && watch.Elapsed < limit)
        {
            await Task.Delay(TimeSpan.FromSeconds(1));
            after = MemoryFigures.Of(manager);
        }

        var figures = $"before: {before}; peak: {peak}; after: {after}";
        Assert.True(after.Sites == before.Sites, figures);
        Assert.True(after.Used - before.Used <= KeptByManager, figures);
        Assert.True(_given is null || after.OfNoProcess - before.OfNoProcess <= leftAtMost, figures);
        return after;
    }

    private static async Task NoneRunsAsync(UserSystemd manager)
    {
        while ((await RunningAsync(manager)).Length > 0)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(200));
        }
    }

    private static async Task<string[]> RunningAsync(UserSystemd manager)
    {
        var lines = await manager.RunAsync(
            "list-units", "--plain", "--no-legend", "--state=active,activating,deactivating", "site@*.service");
        return [.. lines.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => line.Split(' ')[0])];
    }

    private void Write(string line)
    {
        output.WriteLine(line);
        Console.WriteLine(line);
    }
}

/// <summary>
/// A systemd and all it has started: how many sites, the memory of all (PSS) and the machine's, in MiB. A user's manager
/// also starts services of the machine at first, some of which end at once, so other processes are not counted.
/// </summary>
internal sealed record MemoryFigures(int Sites, double Used, double Available, double OfNoProcess)
{
    public static MemoryFigures Of(UserSystemd manager)
    {
        var (count, memory) = ProcessTree.Measure(
            manager.ProcessId, Repository.BuiltTestProgram("FastCgi.InstanceApp"));
        return new MemoryFigures(count, memory, MachineMemory.Available, MachineMemory.OfNoProcess);
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Sites} sites, {Used:0.0} MiB (PSS), {Available:0} MiB available, {OfNoProcess:0} MiB of no process");
}

/// <summary>Memory of the machine and of its processes in MiB, as the kernel counts it.</summary>
internal static class MachineMemory
{
    /// <summary>What the kernel can give to new processes without swap.</summary>
    public static double Available => Read("/proc/meminfo", "MemAvailable:");

    /// <summary>What is in use and belongs to no process: the kernel's own, sockets, and files in memory.</summary>
    public static double OfNoProcess => Read("/proc/meminfo", "MemTotal:") - Available
        - Processes().Sum(static process => Of(process, "Pss_Anon:", "Pss_Shmem:"));

    public static IEnumerable<int> Processes() => Directory.EnumerateDirectories("/proc")
        .Select(static folder => Path.GetFileName(folder))
        .Where(static name => name.All(char.IsAsciiDigit))
        .Select(static name => int.Parse(name, CultureInfo.InvariantCulture));

    /// <summary>
    /// The sum of some lines of a process, each with its part of what it shares. 0 if it has ended, or denies itself to
    /// root as process 1 of some machines does.
    /// </summary>
    public static double Of(int process, params string[] names)
    {
        try
        {
            return Read($"/proc/{process}/smaps_rollup", names);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }

    private static double Read(string file, params string[] names) => File.ReadLines(file)
        .Where(line => names.Any(name => line.StartsWith(name, StringComparison.Ordinal)))
        .Sum(static line => double.Parse(line.Split(' ')[^2], CultureInfo.InvariantCulture) / 1024);
}

/// <summary>A process and all that it has started: their memory, and how many of them run a program.</summary>
internal static class ProcessTree
{
    private const int ParentField = 1;

    /// <summary>
    /// How many processes have a program's path among their arguments, and the memory of all (PSS) in MiB.
    /// </summary>
    public static (int Count, double Memory) Measure(int root, string program)
    {
        var parents = new Dictionary<int, int>();
        foreach (var process in MachineMemory.Processes())
        {
            if (ReadParent(process) is { } parent)
            {
                parents[process] = parent;
            }
        }

        int[] members = [.. parents.Keys.Where(process => IsBelow(process, root, parents))];
        return (members.Count(process => Runs(process, program)), members.Sum(static process => MachineMemory.Of(process, "Pss:")));
    }

    private static bool IsBelow(int process, int root, Dictionary<int, int> parents)
    {
        while (process != root)
        {
            if (!parents.TryGetValue(process, out process))
            {
                return false;
            }
        }

        return true;
    }

    private static bool Runs(int process, string program) =>
        Read(process, "cmdline") is { } arguments && arguments.Split('\0').Contains(program, StringComparer.Ordinal);

    private static int? ReadParent(int process) => Read(process, "stat") is { } stat
        ? int.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[ParentField], CultureInfo.InvariantCulture)
        : null;

    /// <summary>Null if the process has ended meanwhile.</summary>
    private static string? Read(int process, string file)
    {
        try
        {
            return File.ReadAllText($"/proc/{process}/{file}");
        }
        catch (IOException)
        {
            return null;
        }
    }
}
