using System.Diagnostics;

namespace FastCgi.WebServerTests.Instances;

/// <summary>
/// Handlers that block until they are aborted, more than there are threads. What aborts them must not wait for them.
/// The tests measure times, so nothing runs beside them.
/// </summary>
[CollectionDefinition(nameof(BlockedHandlersTests), DisableParallelization = true)]
[Collection(nameof(BlockedHandlersTests))]
public sealed class BlockedHandlersTests : InstanceTest
{
    /// <summary>As many as threads, and some that wait for one.</summary>
    [Fact]
    public async Task Eleven_hundred_handlers_notice_that_their_clients_have_left()
    {
        await StartWithAsync();
        await using (var peer = await ConnectAsync())
        {
            // The application prepares itself in the thread pool with its first request.
            await peer.RoundTripAsync(new RequestScript());
        }

        await SendWaitingAsync(1_100);
        await App.Log.FirstAsync(static line => line == "waiting: 1024")
            .Within("1,024 handlers that wait", Tail, TimeSpan.FromMinutes(1));

        var clock = Stopwatch.StartNew();
        LeaveAll();
        await App.Log.FirstAsync(static line => line == "still waiting: 0")
            .Within("the end of the last handler", Tail);

        // A second, on a machine that has nothing else to do.
        Assert.InRange(clock.Elapsed, TimeSpan.Zero, Deadline.Of(TimeSpan.FromSeconds(5)));
        Assert.Equal(0, await App.StopAsync());
    }

    /// <summary>They are in the thread pool, where the host waits behind them, and timers of the application too.</summary>
    [Theory]
    [InlineData("Epoll", 600, 0)]
    [InlineData("Epoll", 600, 100)]
    [InlineData("Sockets", 300, 0)]
    [InlineData("Sockets", 300, 100)]
    public async Task Hundreds_of_cold_requests_do_not_hold_up_a_stop(string transport, int requests, int timers)
    {
        await StartWithAsync("--FastCgi:Transport", transport, "--Timers", $"{timers}");
        await SendWaitingAsync(requests);
        await App.Log.FirstAsync(static line => line == "waiting: 2").Within("handlers that wait", Tail);

        var clock = Stopwatch.StartNew();
        Assert.Equal(0, await App.StopAsync());

        Assert.InRange(clock.Elapsed, TimeSpan.FromSeconds(1), Deadline.Of(TimeSpan.FromSeconds(15)));
    }

    /// <summary>
    /// The connections are accepted before. Over <c>Sockets</c> nothing new is read while the thread pool is full.
    /// </summary>
    [Theory]
    [InlineData("Epoll")]
    [InlineData("Sockets")]
    public async Task Time_limits_act_while_the_thread_pool_is_full(string transport)
    {
        var limit = Deadline.Of(TimeSpan.FromSeconds(4)).ToString("c");
        await StartWithAsync(
            "--FastCgi:Transport", transport,
            "--FastCgi:Limits:KeepAliveTimeout", limit, "--FastCgi:Limits:RequestHeadersTimeout", limit);
        await using var idle = await ConnectAsync();
        await idle.RoundTripAsync(new RequestScript());
        await using var late = await ConnectAsync();
        // Over Sockets, answers may wait until the thread pool adds a thread.
        (idle.Timeout, late.Timeout) = (TimeSpan.FromSeconds(60), TimeSpan.FromSeconds(60));
        await late.SendAsync(new RecordBuilder().Begin());
        await late.SynchronizeAsync();
        await SendWaitingAsync(300);

        await idle.ExpectClosedAsync();
        Assert.Equal(408, (await late.ExpectResponseAsync()).StatusCode);
    }

    /// <summary>Their requests wait in the thread pool, and the answer to another must not wait behind them.</summary>
    [Fact]
    public async Task A_head_that_does_not_come_in_time_is_a_408_while_the_thread_pool_is_full()
    {
        await StartWithAsync(
            "--FastCgi:Limits:RequestHeadersTimeout", "00:00:01", "--FastCgi:Limits:RequestTimeout", "00:00:06");
        await SendWaitingAsync(300);
        await using var peer = await ConnectAsync();
        await peer.SendAsync(new RecordBuilder().Begin());

        Assert.Equal(408, (await peer.ExpectResponseAsync()).StatusCode);
    }

    private Task StartWithAsync(params string[] settings) =>
        StartAsync(settings: ["--shutdownTimeoutSeconds", "3", .. settings]);

    private async Task SendWaitingAsync(int count)
    {
        for (var i = 0; i < count; i++)
        {
            await ConnectAsync(1);
            await Peers[^1].SendRequestAsync(target: "/wait");
        }
    }

    private string Tail() => string.Join(Environment.NewLine, App.Log.Lines.TakeLast(5));
}
