using System.Diagnostics;
using Microsoft.Extensions.Logging;

namespace FastCgi.FuzzTests;

/// <summary>
/// Many requests with aborts, resets and half-closes between them. FASTCGI_STORM sets how many, on all transports
/// together; 200,000 by default.
/// </summary>
public sealed class StormTests(ITestOutputHelper output)
{
    private const int Transports = 4;
    private const int WarmUp = 2000;

    private static readonly int s_requests = RunSettings.Number("FASTCGI_STORM") ?? 200_000;

    private int _runs;

    [Theory]
    [InlineData(ServerTransport.EpollOnUnix)]
    [InlineData(ServerTransport.EpollOnTcp)]
    [InlineData(ServerTransport.SocketsOnUnix)]
    [InlineData(ServerTransport.SocketsOnTcp)]
    public async Task A_storm_leaves_nothing_behind_and_is_counted_as_it_was(ServerTransport transport)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Counts are read from /proc.");
        var pool = new CountingBufferPool();
        var descriptors = ProcessCounts.Descriptors;
        var server = await StartAsync(transport, pool);
        using var metrics = new ServerTally(server);
        using var events = await EventTally.StartAsync();
        var sent = new StormTally();
        await using (server)
        {
            var endPoint = server.EndPoint;
            await new Storm(endPoint, sent, seed: 1).RageAsync(WarmUp);
            await DropsToZeroAsync(metrics);
            using var memory = new LiveMemory();
            var threads = ProcessCounts.Threads;

            var started = Stopwatch.GetTimestamp();
            await new Storm(endPoint, sent, seed: 2).RageAsync(s_requests / Transports);
            await DropsToZeroAsync(metrics);

            var elapsed = Stopwatch.GetElapsedTime(started).TotalSeconds;
            var (grown, more) = (memory.Growth, ProcessCounts.Threads - threads);
            Figures.Write(output, $"{transport}: {sent.Sent} requests on {sent.Connections} connections, "
                + $"{elapsed:F1} s; growth: {grown / 1024} KiB of live memory, {more} threads");
            Assert.InRange(grown, long.MinValue, 8 * 1024 * 1024);
            Assert.InRange(more, int.MinValue, 20);
            await ServesAsync(endPoint, sent);
            using var stop = new CancellationTokenSource(Deadline.Default);
            await server.StopAsync(stop.Token);
            Assert.False(stop.IsCancellationRequested, "A request never left the application.");
            await events.PollAsync();
        }

        await Eventually.HoldsAsync(
            () => ProcessCounts.Descriptors <= descriptors + 2,
            () => $"{ProcessCounts.Descriptors} descriptors, {descriptors} before");
        Figures.Write(output, $"{transport}: growth: {ProcessCounts.Descriptors - descriptors} descriptors, "
            + $"{pool.Outstanding} pool blocks; counted: {metrics.Accepted} connections, {metrics.EndedRequests} requests, "
            + $"of these {metrics.Ended(Fate.Unfinished, 499)} unfinished, {metrics.Ended(Fate.Raced, 499)} of "
            + $"{sent[Fate.Raced]} aborted in time, {metrics.Ended(Fate.Abandoned)} of {sent[Fate.Abandoned]} abandoned begun");
        Assert.Equal(0, pool.ReturnedTwice);
        Assert.Equal(0, pool.Outstanding);
        AssertConnectionsAgree(sent, metrics, events);
        AssertRequestsAgree(sent, metrics, events);
    }

    private static void AssertConnectionsAgree(StormTally sent, ServerTally metrics, EventTally events)
    {
        Assert.Equal(sent.Connections, metrics.Accepted);
        Assert.Equal(sent.Connections, metrics.EndedConnections);
        Assert.Equal(0, metrics.OpenConnections);
        Assert.Equal(0, metrics.RejectedConnections);
        // Whether the server learns of a reset, or has by then ended the connection itself, is a race; no other error is.
        Assert.All(metrics.ConnectionErrors.Keys, error => Assert.Equal("connection_reset", error));

        Assert.Equal(sent.Connections, events.Events("ConnectionStart"));
        Assert.Equal(sent.Connections, events.Events("ConnectionStop"));
        Assert.Equal(sent.Connections, events.Growth("total-connections"));
        Assert.Equal(0, events.Growth("current-connections"));
        Assert.Equal(0, events.Growth("rejected-connections"));
    }

    private void AssertRequestsAgree(StormTally sent, ServerTally metrics, EventTally events)
    {
        Assert.Equal(sent[Fate.Served], metrics.Ended(Fate.Served, StatusCodes.Status200OK));
        Assert.Equal(sent[Fate.Served], metrics.Ended(Fate.Served));
        Assert.Equal(sent[Fate.Unfinished], metrics.Ended(Fate.Unfinished, StatusCodes.Status499ClientClosedRequest));
        Assert.Equal(sent[Fate.Unfinished], metrics.Ended(Fate.Unfinished));
        Assert.Equal(sent[Fate.Raced], metrics.Ended(Fate.Raced));
        Assert.InRange(metrics.Ended(Fate.Abandoned), 0, sent[Fate.Abandoned]);
        Assert.Equal(0, metrics.RunningRequests);

        Assert.Equal(_runs, metrics.EndedRequests);
        Assert.Equal(_runs, events.Events("RequestStart"));
        Assert.Equal(_runs, events.Events("RequestStop"));
        Assert.Equal(_runs, events.Growth("total-requests"));
        Assert.Equal(0, events.Growth("current-requests"));
        Assert.Equal(0, events.Growth("failed-requests"));
    }

    private static Task DropsToZeroAsync(ServerTally metrics) => Eventually.HoldsAsync(
        () => metrics.OpenConnections == 0, () => $"{metrics.OpenConnections} connections are open");

    private static async Task ServesAsync(System.Net.EndPoint endPoint, StormTally sent)
    {
        using var peer = await PlainPeer.ConnectAsync(endPoint);
        sent.CountConnection();
        sent.CountRequest(Fate.Served);
        var request = new RequestScript { Method = Fate.Served.Method(), Body = [1] };
        await peer.SendAsync(new RecordBuilder().Request(request).ToArray());
        Assert.Equal(1, await peer.ReadEndsAsync(1, new byte[4096]));
    }

    private Task<FunctionalServer> StartAsync(ServerTransport transport, CountingBufferPool pool) =>
        FunctionalServer.StartAsync(
            transport,
            async context =>
            {
                Interlocked.Increment(ref _runs);
                await context.Request.Body.CopyToAsync(Stream.Null, context.RequestAborted);
                await context.Response.Body.WriteAsync(new byte[100], context.RequestAborted);
            },
            configure: builder =>
            {
                builder.Logging.SetMinimumLevel(LogLevel.Warning);
                pool.AddTo(builder.Services);
            });
}
