using FastCgi.AspNetCore.Server;
using FastCgi.TestKit;
using Microsoft.Extensions.Logging;

namespace FastCgi.AspNetCore.Tests.Server;

public sealed class HeartbeatTests
{
    private readonly ManualTimeProvider _time = new();
    private readonly LogRecorder _logs = new();

    [Fact]
    public void A_tick_that_fails_is_logged_and_the_next_one_comes()
    {
        int ticks = 0;
        using (new Heartbeat(_time, () => throw new InvalidOperationException($"tick {++ticks}"), _logs.CreateLogger("")))
        {
            _time.Advance(2 * Heartbeat.Interval);
        }

        _time.Advance(Heartbeat.Interval);
        Assert.Equal(2, ticks);
        Assert.Equal(
            [LogLevel.Error, LogLevel.Error], _logs.Entries.Select(static entry => entry.Level));
    }

    [Fact]
    public void A_tick_is_not_overtaken_by_the_next()
    {
        int ticks = 0;
        Heartbeat? heartbeat = null;
        using (heartbeat = new Heartbeat(_time, Tick, _logs.CreateLogger("")))
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
