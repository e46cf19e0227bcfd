namespace FastCgi.AspNetCore.Tests.Diagnostics;

/// <summary>Callbacks of RequestAborted that block until the end of a test, more than there are threads for them.</summary>
public sealed class EndingThreadsTests : IAsyncDisposable
{
    private const int Callbacks = 6;

    private readonly Latch _goOn = new();
    private readonly TaskCompletionSource _mostEntered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _allEntered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _allLeft = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _entered;
    private int _left;

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
        await _allLeft.Task.Within("the end of the callbacks");
    }

    [Fact]
    public async Task They_keep_no_callback_of_another_token() => await _allEntered.Task.Within("the last callback");

    /// <summary>
    /// The heartbeat and the end of a stop are such timers. Requests may keep all of the thread pool meanwhile.
    /// </summary>
    [Fact]
    public async Task They_keep_no_timer_from_the_threads_of_the_server()
    {
        await _mostEntered.Task.Within("five callbacks");
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
        await _mostEntered.Task.Within("five callbacks");
        var server = new ServerUnderTest();
        await server.StartAsync();

        await server.Server.StopAsync(CancellationToken.None).Within("the stop");
        await server.DisposeAsync();
    }

    private void Block()
    {
        int entered = Interlocked.Increment(ref _entered);
        if (entered == Callbacks - 1)
        {
            _mostEntered.SetResult();
        }
        else if (entered == Callbacks)
        {
            _allEntered.SetResult();
        }

        _goOn.Wait(3 * Deadline.Default);
        if (Interlocked.Increment(ref _left) == Callbacks)
        {
            _allLeft.SetResult();
        }
    }
}
