namespace FastCgi.AspNetCore.Tests.Server;

public sealed class HeartbeatTests
{
    private readonly ManualTimeProvider _time = new();
    private readonly LogRecorder _logs = new();

    [Fact]
    public void A_tick_that_fails_is_logged_and_the_next_one_comes()
    {
        int ticks = 0;
        using (new Heartbeat(
            _time, () => throw new InvalidOperationException($"tick {++ticks}"), _logs.CreateLogger(""), static () => true))
        {
            _time.Advance(2 * Heartbeat.Interval);
        }

        _time.Advance(Heartbeat.Interval);
        Assert.Equal(2, ticks);
        Assert.Equal(
            [LogLevel.Error, LogLevel.Error], _logs.Entries.Select(static entry => entry.Level));
    }

    [Fact]
    public void It_sleeps_while_nothing_needs_it_and_wakes_with_the_clock_moved_on()
    {
        int ticks = 0;
        bool isNeeded = true;
        var clock = new ServerClock(_time);
        using var heartbeat = new Heartbeat(_time, () => ticks++, _logs.CreateLogger(""), () => isNeeded);
        _time.Advance(100 * Heartbeat.Interval);
        Assert.Equal((100, false), (ticks, heartbeat.IsAsleep));

        isNeeded = false;
        _time.Advance((Heartbeat.IdleTicksUntilSleep - 1) * Heartbeat.Interval);
        Assert.False(heartbeat.IsAsleep);
        _time.Advance(1000 * Heartbeat.Interval);
        Assert.Equal((100 + Heartbeat.IdleTicksUntilSleep, true), (ticks, heartbeat.IsAsleep));

        isNeeded = true;
        heartbeat.Wake(clock);
        Assert.Equal(_time.GetTimestamp(), clock.Now);
        _time.Advance(2 * Heartbeat.Interval);
        Assert.Equal((102 + Heartbeat.IdleTicksUntilSleep, false), (ticks, heartbeat.IsAsleep));
        heartbeat.Wake(clock);
        Assert.NotEqual(_time.GetTimestamp(), clock.Now);
    }

    [Fact]
    public void Who_comes_while_it_falls_asleep_has_it_wake()
    {
        int ticks = 0;
        int asked = 0;
        using var heartbeat = new Heartbeat(
            _time, () => ticks++, _logs.CreateLogger(""), () => ++asked > Heartbeat.IdleTicksUntilSleep);

        _time.Advance((Heartbeat.IdleTicksUntilSleep + 5) * Heartbeat.Interval);

        Assert.Equal((Heartbeat.IdleTicksUntilSleep + 5, false), (ticks, heartbeat.IsAsleep));
    }

    [Fact]
    public void A_tick_is_not_overtaken_by_the_next()
    {
        int ticks = 0;
        Heartbeat? heartbeat = null;
        using (heartbeat = new Heartbeat(_time, Tick, _logs.CreateLogger(""), static () => true))
        {
            _time.Advance(Heartbeat.Interval);
        }

        Assert.Equal(1, ticks);

        void Tick()
        {
            ticks++;
            Assert.True(Task.Run(() => _time.Advance(Heartbeat.Interval)).Wait(Deadline.Default));
        }
    }
}
