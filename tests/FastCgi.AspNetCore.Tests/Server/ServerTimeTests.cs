namespace FastCgi.AspNetCore.Tests.Server;

public sealed class ServerTimeTests
{
    private static readonly TimeSpan s_moment = TimeSpan.FromMilliseconds(5);

    private readonly TimeProvider _time = ServerTime.For(TimeProvider.System);

    [Fact]
    public void A_time_of_the_hosts_own_stays()
    {
        var time = new ManualTimeProvider();

        Assert.Same(time, ServerTime.For(time));
        Assert.NotSame(TimeProvider.System, _time);
    }

    [Fact]
    public async Task A_timer_fires_when_it_is_due_and_again_after_each_period()
    {
        var thrice = new TaskCompletionSource<TimeSpan>();
        int times = 0;
        long start = _time.GetTimestamp();
        await using ITimer timer = _time.CreateTimer(
            state =>
            {
                Assert.Same(this, state);
                if (Interlocked.Increment(ref times) == 3)
                {
                    thrice.SetResult(_time.GetElapsedTime(start));
                }
            },
            this,
            4 * s_moment,
            s_moment);

        Assert.True(await thrice.Task.Within("three ticks") >= 6 * s_moment);
    }

    [Fact]
    public async Task Each_timer_fires_when_it_was_last_told_and_none_after_its_end()
    {
        var fired = new ConcurrentQueue<string>();
        var both = new TaskCompletionSource();
        await using ITimer late = Create("late", 40 * s_moment);
        await using ITimer changed = Create("changed", TimeSpan.FromDays(1));
        await using ITimer never = Create("never", Timeout.InfiniteTimeSpan);
        await using ITimer longest = Create("longest", TimeSpan.MaxValue);
        await using ITimer disposed = Create("disposed", 20 * s_moment);
        Assert.True(changed.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan));
        disposed.Dispose();

        await both.Task.Within("two of five");
        Assert.Equal(["changed", "late"], fired.Order());
        Assert.False(disposed.Change(TimeSpan.Zero, TimeSpan.Zero));

        ITimer Create(string name, TimeSpan dueTime) => _time.CreateTimer(
            _ =>
            {
                fired.Enqueue(name);
                if (fired.Count == 2)
                {
                    both.TrySetResult();
                }
            },
            null,
            dueTime,
            Timeout.InfiniteTimeSpan);
    }

    [Fact]
    public async Task A_callback_that_does_not_return_keeps_no_other()
    {
        var goOn = new Latch();
        var both = new TaskCompletionSource();
        await using ITimer kept = _time.CreateTimer(_ => goOn.Wait(), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        await using ITimer other = _time.CreateTimer(_ => both.SetResult(), null, s_moment, Timeout.InfiniteTimeSpan);

        try
        {
            await both.Task.Within("the other one");
        }
        finally
        {
            goOn.Set();
        }
    }
}
