using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>
/// Many sites of the documented template units: none runs, the first request starts each, ten are alive at once, and none
/// runs afterwards. The variable FASTCGI_SITES names another number for a run by hand.
/// </summary>
[Trait("Category", "Slow")]
public sealed class ManySitesTests(ITestOutputHelper output)
{
    private const int UsualSites = 6;
    private const int AliveAtOnce = 10;

    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(2);

    [Fact]
    public async Task Sites_start_when_they_are_asked_and_end_when_nobody_asks()
    {
        var count = int.TryParse(Environment.GetEnvironmentVariable("FASTCGI_SITES"), out var given) ? given : UsualSites;
        string[] sites = [.. Enumerable.Range(1, count).Select(static i => $"shop{i}")];
        await using var manager = await UserSystemd.StartAsync("FastCgi__ExitWhenIdleFor=00:00:02");
        await manager.RunAsync(["start", .. sites.Select(static site => $"site@{site}.socket")]);
        Assert.Empty(await RunningAsync(manager));

        var times = new List<double>();
        var mostMemory = 0.0;
        foreach (var group in sites.Chunk(AliveAtOnce))
        {
            using var directory = new WorkDirectory();
            var asked = await Task.WhenAll(group.Select(site => AskAsync(manager, directory, site)));
            times.AddRange(asked.Select(static answer => answer.Seconds));
            // A kept connection keeps its process.
            Assert.Equal(
                group.Select(static site => $"site@{site}.service").Order(), (await RunningAsync(manager)).Order());
            mostMemory = Math.Max(mostMemory, await MemoryAsync(manager, group));
            foreach (var (peer, _) in asked)
            {
                await peer.DisposeAsync();
            }

            await NoneRunsAsync(manager).Within("the end of idle sites", () => manager.Log, _patience);
        }

        times.Sort();
        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{count} sites, {Math.Min(count, AliveAtOnce)} at once; first answers after {times[0]:0.0} to " +
            $"{times[^1]:0.0} s, median {times[times.Count / 2]:0.0} s; those alive at once used {mostMemory:0} MiB; none runs at the end."));
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

    /// <summary>Of the processes of these sites. At the end there are none, so it is back.</summary>
    private static async Task<double> MemoryAsync(UserSystemd manager, string[] sites)
    {
        var shown = await manager.RunAsync(
            ["show", "--property=MainPID", .. sites.Select(static site => $"site@{site}.service")]);
        int[] processes = [.. shown.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(static line => int.Parse(line["MainPID=".Length..], CultureInfo.InvariantCulture))];
        Assert.Equal(sites.Length, processes.Length);
        return processes.Sum(UserSystemd.MemoryOf);
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
}
