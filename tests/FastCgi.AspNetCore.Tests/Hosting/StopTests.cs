using System.Diagnostics.Metrics;

namespace FastCgi.AspNetCore.Tests.Hosting;

/// <summary>Stops that meet something in their way.</summary>
public class StopTests
{
    [Fact]
    public async Task Dispose_ends_in_a_synchronization_context_whose_only_thread_it_holds()
    {
        await using var server = await ServerUnderTest.StartNewAsync();
        await using var peer = await server.ConnectAsync();
        var disposal = Task.Factory.StartNew(
            () =>
            {
                SynchronizationContext.SetSynchronizationContext(new NeverPumped());
                server.Server.Dispose();
            },
            TaskCreationOptions.LongRunning);

        await disposal.Within("the disposal");
    }

    [Fact]
    public async Task A_disposal_ends_a_graceful_stop_that_waits_for_a_request()
    {
        await using var server = new ServerUnderTest();
        await using var peer = await server.StartAndEnterAsync(static async context =>
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, context.RequestAborted)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing));
        var stop = server.Server.StopAsync(CancellationToken.None);

        await server.Server.DisposeAsync().AsTask().Within("the disposal");
        await stop.Within("the graceful stop");
    }

    /// <summary>A listener of a meter keeps its connection from being served until the stop has given it up.</summary>
    [Fact]
    public async Task A_connection_that_is_handed_over_late_is_closed_and_not_served()
    {
        var entered = new Latch();
        var goOn = new Latch();
        using var meters = new Meters(measured =>
        {
            if (measured.StartsWith("fastcgi.active_connections", StringComparison.Ordinal))
            {
                entered.Set();
                goOn.Wait();
            }
        });
        await using var server = new ServerUnderTest(
            services: services => services.AddSingleton<IMeterFactory>(meters));
        var served = 0;
        await server.StartAsync(_ =>
        {
            Interlocked.Increment(ref served);
            return Task.CompletedTask;
        });
        await using var peer = await server.ConnectAsync();
        await peer.SendRequestAsync();
        entered.Wait();

        try
        {
            await server.Server.StopAsync(new CancellationToken(canceled: true)).Within("the stop");
        }
        finally
        {
            goOn.Set();
        }

        Assert.Empty(await peer.ExpectClosedAsync());
        Assert.Equal(0, served);
        Assert.DoesNotContain(
            server.Logs.Entries, static entry => entry.EventId.Id == LogEvents.NotAllConnectionsAborted);
    }

    /// <summary>As in a user interface: what is posted runs when its only thread is free again.</summary>
    private sealed class NeverPumped : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
        }
    }
}
