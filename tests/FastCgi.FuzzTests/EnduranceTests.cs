using FastCgi.AspNetCore.Diagnostics;
using Microsoft.Extensions.Logging;

namespace FastCgi.FuzzTests;

/// <summary>
/// What only many connections bring to light. FASTCGI_CONNECTIONS sets how many of them are idle, 5,000 by default.
/// </summary>
public sealed class EnduranceTests(ITestOutputHelper output)
{
    private const int WarmUp = 500;

    private static readonly int s_connections = RunSettings.Number("FASTCGI_CONNECTIONS") ?? 5000;
    private static readonly byte[] s_request = new RecordBuilder().Request(new RequestScript()).ToArray();

    [Theory, ClassData(typeof(Transports))]
    [HardInput("E5")]
    public async Task Thousands_of_idle_kept_connections_cost_little_and_are_served(ServerTransport transport)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Counts are read from /proc.");
        using var raised = DescriptorLimit.AsHighAsAllowed();
        // Both ends are in this process.
        var count = s_connections;
        var needed = (ulong)(2 * count) + 500;
        Assert.SkipUnless(
            DescriptorLimit.Current >= needed,
            $"{count} connections need {needed} descriptors, and this process may have {DescriptorLimit.Current}: "
            + "raise the hard limit (ulimit -Hn), or set FASTCGI_CONNECTIONS to fewer.");
        await using var server = await StartAsync(transport);
        using var gauge = Measurements.OfActiveConnections(server);
        var endPoint = server.EndPoint;
        var buffer = new byte[4096];
        // What threads and pools keep is there before: it does not grow with the connections.
        OpenAll(endPoint, WarmUp, buffer).ForEach(static peer => peer.Close());
        await gauge.DropsToAsync(0);
        using var live = new LiveMemory();
        var resident = ProcessCounts.Resident;

        var peers = OpenAll(endPoint, count, buffer);
        await Eventually.HoldsAsync(() => gauge.Sum == count, () => $"{gauge.Sum} of {count} are open");
        var each = live.Growth / count;
        Figures.Write(output, $"{transport}: {count} idle connections, {each} live bytes each, "
            + $"{(ProcessCounts.Resident - resident) / count} resident");
        Assert.InRange(each, 0, 2 * 1024);

        foreach (var peer in peers)
        {
            Assert.Equal(1, peer.Ask(s_request, buffer));
            peer.Close();
        }

        await gauge.DropsToAsync(0);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("E4")]
    public async Task No_descriptor_for_an_accept_backs_off_and_recovers(ServerTransport transport)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The limit is set through libc.");
        await using var server = await StartAsync(transport);
        var endPoint = server.EndPoint;
        var buffer = new byte[4096];
        // Everything that both sides need is loaded before files cannot be opened any more.
        await RoundTripAsync(endPoint, buffer);
        using var gauge = Measurements.OfActiveConnections(server);
        var peers = Enumerable.Range(0, 20).Select(_ => new PlainPeer(PlainPeer.NewSocket(endPoint))).ToList();

        // A thread takes two descriptors, and the runtime's pool does not get over one that it cannot start.
        using (await SpareThreads.StartAsync(16))
        using (DescriptorLimit.Exhausted())
        {
            foreach (var peer in peers)
            {
                await peer.Socket.ConnectAsync(endPoint).Within("a place in the backlog");
                await peer.SendAsync(s_request);
            }

            await server.Logs.WaitForAsync(LogEvents.AcceptPaused);
        }

        foreach (var peer in peers)
        {
            Assert.Equal(1, await peer.ReadEndsAsync(1, buffer));
            peer.Dispose();
        }

        await gauge.DropsToAsync(0);
        await RoundTripAsync(endPoint, buffer);
    }

    /// <summary>Each has had one answer.</summary>
    private static List<IdlePeer> OpenAll(System.Net.EndPoint endPoint, int count, byte[] buffer)
    {
        var peers = new List<IdlePeer>(count);
        for (var i = 0; i < count; i++)
        {
            peers.Add(IdlePeer.Connect(endPoint));
            Assert.Equal(1, peers[i].Ask(s_request, buffer));
        }

        return peers;
    }

    private static Task<FunctionalServer> StartAsync(ServerTransport transport) => FunctionalServer.StartAsync(
        transport,
        context => context.Response.Body.WriteAsync(new byte[100], context.RequestAborted).AsTask(),
        configure: builder => builder.Logging.SetMinimumLevel(LogLevel.Warning));

    private static async Task RoundTripAsync(System.Net.EndPoint endPoint, byte[] buffer)
    {
        using var peer = await PlainPeer.ConnectAsync(endPoint);
        await peer.SendAsync(s_request);
        Assert.Equal(1, await peer.ReadEndsAsync(1, buffer));
    }
}
