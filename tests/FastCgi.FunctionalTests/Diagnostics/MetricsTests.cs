using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.FunctionalTests.Diagnostics;

public sealed class MetricsTests : FunctionalTest
{
    [Theory, ClassData(typeof(Transports))]
    public async Task Connections_are_counted_up_and_down_and_their_time_is_taken(ServerTransport transport)
    {
        SyncPoint measured = "the duration of the connection";
        var active = 0L;
        string? network = null;
        await StartAsync(transport, Write("x"));
        var factory = Server.Services.GetRequiredService<IMeterFactory>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listening) =>
            {
                if (instrument.Meter.Name == "FastCgi.AspNetCore" && ReferenceEquals(instrument.Meter.Scope, factory))
                {
                    listening.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            if (instrument.Name == "fastcgi.active_connections")
            {
                Interlocked.Add(ref active, value);
            }
        });
        listener.SetMeasurementEventCallback<double>((instrument, _, tags, _) =>
        {
            foreach (var tag in tags)
            {
                network = tag.Key == "network.transport" ? tag.Value as string : network;
            }

            measured.Reach();
        });
        listener.Start();

        var peer = await ConnectAsync();
        await AssertServesAsync(peer);
        Assert.Equal(1, Interlocked.Read(ref active));
        await peer.DisposeAsync();
        await measured.WaitAsync();

        Assert.Equal(0, Interlocked.Read(ref active));
        Assert.Equal(transport is ServerTransport.EpollOnUnix or ServerTransport.SocketsOnUnix ? "unix" : "tcp", network);
    }

    /// <summary>As many as Kestrel's own test opens.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task A_hundred_connections_at_once_are_counted_back_to_zero(ServerTransport transport)
    {
        await StartAsync(transport, Write("x"));
        using var gauge = new ConnectionGauge(Server);

        await Task.WhenAll(Enumerable.Range(0, 100).Select(async _ =>
        {
            var peer = await ConnectAsync();
            await AssertServesAsync(peer);
            await peer.DisposeAsync();
        })).Within("all of them");

        await gauge.DropsToZeroAsync();
    }
}
