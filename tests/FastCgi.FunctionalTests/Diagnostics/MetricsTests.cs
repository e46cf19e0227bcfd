namespace FastCgi.FunctionalTests.Diagnostics;

public sealed class MetricsTests : FunctionalTest
{
    [Theory, ClassData(typeof(Transports))]
    public async Task Connections_are_counted_up_and_down_and_their_time_is_taken(ServerTransport transport)
    {
        await StartAsync(transport, Write("x"));
        using var connections = Measurements.OfActiveConnections(Server);
        using var durations = Measurements.OfConnectionDurations(Server);

        var peer = await ConnectAsync();
        await AssertServesAsync(peer);
        Assert.Equal(1, connections.Sum);
        await peer.DisposeAsync();

        Assert.Equal(
            transport is ServerTransport.EpollOnUnix or ServerTransport.SocketsOnUnix ? "unix" : "tcp",
            (await durations.TagsAsync()).Single(static tag => tag.Key == "network.transport").Value);
        Assert.Equal(0, connections.Sum);
    }

    /// <summary>As many as Kestrel's own test opens.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task A_hundred_connections_at_once_are_counted_back_to_zero(ServerTransport transport)
    {
        await StartAsync(transport, Write("x"));
        using var connections = Measurements.OfActiveConnections(Server);

        await Task.WhenAll(Enumerable.Range(0, 100).Select(async _ =>
        {
            var peer = await ConnectAsync();
            await AssertServesAsync(peer);
            await peer.DisposeAsync();
        })).Within("all of them");

        await connections.DropsToAsync(0);
    }
}
