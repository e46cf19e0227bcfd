using System.Diagnostics;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.FuzzTests.Harness;
using Microsoft.Extensions.Logging;

namespace FastCgi.FuzzTests;

/// <summary>What only many connections, or many requests, bring to light.</summary>
public sealed class EnduranceTests(ITestOutputHelper output)
{
    private const int Connections = 5000;

    private static readonly byte[] s_request = new RecordBuilder().Request(new RequestScript()).ToArray();

    [Theory]
    [InlineData(ServerTransport.EpollOnUnix)]
    [InlineData(ServerTransport.SocketsOnUnix)]
    public async Task E5_thousands_of_idle_kept_connections_cost_little_and_are_served(ServerTransport transport)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Counts are read from /proc.");
        using var raised = DescriptorLimit.AsHighAsAllowed();
        // Both ends are in this process.
        var count = (int)Math.Min(Connections, (DescriptorLimit.Current - 500) / 2);
        await using var server = await StartAsync(transport);
        using var gauge = new ConnectionGauge(server);
        var endPoint = PlainPeer.EndPointOf(server);
        var buffer = new byte[4096];
        await RoundTripAsync(endPoint, buffer);
        var (live, resident) = (ProcessCounts.LiveMemory, ProcessCounts.Resident);

        var peers = new List<PlainPeer>(count);
        for (var i = 0; i < count; i++)
        {
            peers.Add(await PlainPeer.ConnectAsync(endPoint));
            await peers[i].SendAsync(s_request);
            Assert.True(await peers[i].ReadEndsAsync(1, buffer));
        }

        await Eventually.HoldsAsync(() => gauge.Active == count, () => $"{gauge.Active} of {count} are open");
        var each = (ProcessCounts.LiveMemory - live) / count;
        Write($"{transport}: {count} idle connections, {each} live bytes each with their peers, "
            + $"{(ProcessCounts.Resident - resident) / count} resident");
        Assert.InRange(each, 0, 8 * 1024);

        foreach (var peer in peers)
        {
            await peer.SendAsync(s_request);
            Assert.True(await peer.ReadEndsAsync(1, buffer));
            peer.Dispose();
        }

        await gauge.DropsToZeroAsync();
    }

    [Theory]
    [InlineData(ServerTransport.EpollOnUnix)]
    [InlineData(ServerTransport.SocketsOnUnix)]
    public async Task E4_no_descriptor_for_an_accept_backs_off_and_recovers(ServerTransport transport)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The limit is set through libc.");
        await using var server = await StartAsync(transport);
        var endPoint = PlainPeer.EndPointOf(server);
        var buffer = new byte[4096];
        // Everything that both sides need is loaded before files cannot be opened any more.
        await RoundTripAsync(endPoint, buffer);
        using var gauge = new ConnectionGauge(server);
        var peers = Enumerable.Range(0, 20).Select(_ => new PlainPeer(PlainPeer.NewSocket(endPoint))).ToList();

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
            Assert.True(await peer.ReadEndsAsync(1, buffer));
            peer.Dispose();
        }

        await gauge.DropsToZeroAsync();
        await RoundTripAsync(endPoint, buffer);
    }

    [Theory]
    [InlineData(ServerTransport.EpollOnUnix)]
    [InlineData(ServerTransport.EpollOnTcp)]
    [InlineData(ServerTransport.SocketsOnUnix)]
    [InlineData(ServerTransport.SocketsOnTcp)]
    public async Task A_storm_of_aborts_resets_and_half_closes_leaves_nothing_behind(ServerTransport transport)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Counts are read from /proc.");
        var total = int.TryParse(Environment.GetEnvironmentVariable("FASTCGI_STORM"), out var wanted) ? wanted : 50_000;
        var pool = new CountingBufferPool();
        var descriptors = ProcessCounts.Descriptors;
        await using (var server = await StartAsync(transport, pool))
        {
            using var gauge = new ConnectionGauge(server);
            var endPoint = PlainPeer.EndPointOf(server);
            await new Storm(endPoint, seed: 1).RageAsync(2000);
            await gauge.DropsToZeroAsync();
            var (memory, threads) = (ProcessCounts.LiveMemory, ProcessCounts.Threads);

            var started = Stopwatch.GetTimestamp();
            var storm = new Storm(endPoint, seed: 2);
            await storm.RageAsync(total / 4);
            await gauge.DropsToZeroAsync();

            var elapsed = Stopwatch.GetElapsedTime(started).TotalSeconds;
            var grown = ProcessCounts.LiveMemory - memory;
            Write($"{transport}: {storm.Requests} requests on {storm.Connections} connections in {(int)(elapsed * 1000)} ms, "
                + $"{grown / 1024} KiB more live memory, {ProcessCounts.Threads - threads} more threads");
            Assert.InRange(grown, long.MinValue, 8 * 1024 * 1024);
            Assert.InRange(ProcessCounts.Threads, 1, threads + ThreadPool.ThreadCount);
            await RoundTripAsync(endPoint, new byte[4096]);
            using var stop = new CancellationTokenSource(Deadline.Default);
            await server.StopAsync(stop.Token);
            Assert.False(stop.IsCancellationRequested, "A request never left the application.");
        }

        await Eventually.HoldsAsync(
            () => ProcessCounts.Descriptors <= descriptors + 2,
            () => $"{ProcessCounts.Descriptors} descriptors, {descriptors} before");
        Assert.Equal(0, pool.ReturnedTwice);
        Assert.Equal(0, pool.Outstanding);
    }

    private static Task<FunctionalServer> StartAsync(ServerTransport transport, CountingBufferPool? pool = null) =>
        FunctionalServer.StartAsync(
            transport,
            async context =>
            {
                await context.Request.Body.CopyToAsync(Stream.Null, context.RequestAborted);
                await context.Response.Body.WriteAsync(new byte[100], context.RequestAborted);
            },
            configure: builder =>
            {
                builder.Logging.SetMinimumLevel(LogLevel.Warning);
                pool?.AddTo(builder.Services);
            });

    private static async Task RoundTripAsync(System.Net.EndPoint endPoint, byte[] buffer)
    {
        using var peer = await PlainPeer.ConnectAsync(endPoint);
        await peer.SendAsync(s_request);
        Assert.True(await peer.ReadEndsAsync(1, buffer));
    }

    private void Write(string line)
    {
        output.WriteLine(line);
        Console.WriteLine(line);
    }
}
