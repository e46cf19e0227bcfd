namespace FastCgi.AspNetCore.Tests.Diagnostics;

/// <summary>Callbacks of RequestAborted that block until the end of a test, more than there are threads for them.</summary>
public sealed class EndingThreadsTests : IAsyncDisposable
{
    private const int Callbacks = 6;

    private readonly Latch _goOn = new();
    private readonly SemaphoreSlim _entered = new(0);
    private readonly SemaphoreSlim _left = new(0);

    public EndingThreadsTests()
    {
        for (int i = 0; i < Callbacks; i++)
        {
            var signal = new AbortSignal(NullLogger.Instance);
            signal.Token.Register(Block);
            signal.Fire();
        }
    }

    public async ValueTask DisposeAsync()
    {
        _goOn.Set();
        await CountAsync(_left, Callbacks);
    }

    [Fact]
    public Task They_keep_no_callback_of_another_token() => CountAsync(_entered, Callbacks);

    /// <summary>
    /// The heartbeat and the end of a stop are such timers. Requests may keep all of the thread pool meanwhile.
    /// </summary>
    [Fact]
    public async Task They_keep_no_timer_from_the_threads_of_the_server()
    {
        await CountAsync(_entered, Callbacks - 1);
        var fired = new TaskCompletionSource();
        await using ITimer timer = ServerTime.For(TimeProvider.System).CreateTimer(
            _ =>
            {
                if (!Thread.CurrentThread.IsThreadPoolThread)
                {
                    fired.TrySetResult();
                }
            },
            null,
            TimeSpan.Zero,
            TimeSpan.FromMilliseconds(5));

        await fired.Task.Within("the timer");
    }

    [Fact]
    public async Task They_keep_no_stop()
    {
        await CountAsync(_entered, Callbacks - 1);
        var server = new ServerUnderTest();
        await server.StartAsync();

        await server.Server.StopAsync(CancellationToken.None).Within("the stop");
        await server.DisposeAsync();
    }

    private static async Task CountAsync(SemaphoreSlim passed, int count)
    {
        for (var i = 1; i <= count; i++)
        {
            await passed.WaitAsync().Within($"callback {i}");
        }
    }

    private void Block()
    {
        _entered.Release();
        _goOn.Wait(3 * Deadline.Default);
        _left.Release();
    }
}
