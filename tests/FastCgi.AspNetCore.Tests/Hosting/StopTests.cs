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

    /// <summary>As in a user interface: what is posted runs when its only thread is free again.</summary>
    private sealed class NeverPumped : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
        }
    }
}
