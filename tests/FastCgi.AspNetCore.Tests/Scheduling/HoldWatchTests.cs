namespace FastCgi.AspNetCore.Tests.Scheduling;

public class HoldWatchTests
{
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(5);

    [Fact]
    public void A_thread_is_held_after_twenty_milliseconds_without_progress_which_ends_the_hold()
    {
        var watch = new HoldWatch();
        var held = Enumerable.Range(0, 6).Select(_ => Look(ref watch, progress: 1)).ToList();

        // The first look only begins to measure.
        Assert.Equal([false, false, false, false, true, true], held);
        Assert.False(Look(ref watch, progress: 2));
        Assert.False(watch.HasProgressed(2));
        Assert.True(watch.HasProgressed(3));
    }

    [Fact]
    public void A_thread_that_waits_is_never_held()
    {
        var watch = new HoldWatch();
        for (var i = 0; i < 100; i++)
        {
            watch.Look(isWaiting: true, progress: 1, s_tick);
            Assert.False(watch.IsHeld);
        }

        // And a hold is measured from its beginning.
        Assert.False(Look(ref watch, progress: 2));
        Assert.False(Look(ref watch, progress: 2));
    }

    [Fact]
    public void Long_ticks_count_by_their_length()
    {
        var watch = new HoldWatch();
        watch.Look(isWaiting: false, progress: 1, TimeSpan.FromHours(1));
        Assert.False(watch.IsHeld);
        watch.Look(isWaiting: false, progress: 1, TimeSpan.FromHours(1));
        Assert.True(watch.IsHeld);
    }

    private static bool Look(ref HoldWatch watch, long progress)
    {
        watch.Look(isWaiting: false, progress, s_tick);
        return watch.IsHeld;
    }
}
