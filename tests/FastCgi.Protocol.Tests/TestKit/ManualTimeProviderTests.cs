namespace FastCgi.Protocol.Tests.TestKit;

public class ManualTimeProviderTests
{
    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);

    private readonly ManualTimeProvider _time = new();

    [Fact]
    public void The_clock_and_the_timestamps_move_together_and_only_by_hand()
    {
        var (now, stamp) = (_time.GetUtcNow(), _time.GetTimestamp());
        Assert.Equal(now, _time.GetUtcNow());

        _time.Advance(_second);

        Assert.Equal(now + _second, _time.GetUtcNow());
        Assert.Equal(_second, _time.GetElapsedTime(stamp));
    }

    [Fact]
    public void Timers_fire_in_order_with_the_clock_at_their_due_time()
    {
        List<string> fired = [];
        var start = _time.GetUtcNow();
        void Note(object? name) => fired.Add($"{name}{(_time.GetUtcNow() - start).TotalSeconds}");
        using var periodic = _time.CreateTimer(Note, "p", _second, _second);
        using var once = _time.CreateTimer(Note, "o", _second * 2.5, Timeout.InfiniteTimeSpan);
        using var never = _time.CreateTimer(Note, "n", Timeout.InfiniteTimeSpan, _second);

        Assert.Equal(2, _time.ActiveTimers);
        _time.Advance(_second / 2);
        Assert.Empty(fired);
        _time.Advance(_second * 2.5);

        Assert.Equal(["p1", "p2", "o2.5", "p3"], fired);
        Assert.Equal(1, _time.ActiveTimers);
    }

    [Fact]
    public void A_changed_or_disposed_timer_does_not_fire_as_before()
    {
        var count = 0;
        var timer = _time.CreateTimer(_ => count++, null, _second, Timeout.InfiniteTimeSpan);
        Assert.True(timer.Change(_second * 2, Timeout.InfiniteTimeSpan));
        _time.Advance(_second);
        Assert.Equal(0, count);
        timer.Dispose();
        _time.Advance(_second * 5);

        Assert.Equal(0, count);
        Assert.False(timer.Change(_second, _second));
        Assert.Equal(0, _time.ActiveTimers);
    }

    [Fact]
    public void The_callback_of_the_next_timer_can_be_taken_and_run_later()
    {
        var count = 0;
        var stamp = _time.GetTimestamp();
        Assert.Null(_time.TakeNext());
        var timer = _time.CreateTimer(_ => count++, null, _second, Timeout.InfiniteTimeSpan);

        var callback = _time.TakeNext();
        timer.Dispose();
        callback!();

        Assert.Equal(_second, _time.GetElapsedTime(stamp));
        Assert.Equal(1, count);
    }

    [Fact]
    public async Task Delays_and_cancellation_of_the_framework_follow_it()
    {
        var delay = Task.Delay(_second, _time);
        using var source = new CancellationTokenSource(_second * 2, _time);

        _time.Advance(_second);
        await delay.Within("the delay");
        Assert.False(source.IsCancellationRequested);
        _time.Advance(_second);

        Assert.True(source.IsCancellationRequested);
    }

    [Fact]
    public void The_clock_never_goes_back() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => _time.Advance(-_second));
}
