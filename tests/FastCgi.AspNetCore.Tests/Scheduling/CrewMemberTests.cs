namespace FastCgi.AspNetCore.Tests.Scheduling;

public class CrewMemberTests
{
    private readonly ScriptedWorker _worker = new(isSurplus: false);
    private readonly WorkerCrew.Member _member;

    public CrewMemberTests() => _member = new WorkerCrew.Member(_worker);

    [Fact]
    public void A_thread_is_held_after_twenty_milliseconds_without_progress_which_ends_the_hold()
    {
        _worker.Begin();
        var held = Enumerable.Range(0, 6).Select(_ => IsHeldAfter(5)).ToList();

        // The first look only begins to measure.
        Assert.Equal([false, false, false, false, true, true], held);
        Assert.False(_member.Serves);
        _worker.EndRuns(1);
        Assert.True(_member.Serves);
        Assert.False(IsHeldAfter(5));
        Assert.False(_member.Serves);
    }

    [Fact]
    public void A_thread_that_waits_is_never_held()
    {
        for (var i = 0; i < 100; i++)
        {
            Assert.False(IsHeldAfter(5));
            Assert.True(_member.Serves);
        }

        // And a hold is measured from its beginning.
        _worker.Begin();
        Assert.False(IsHeldAfter(5));
        Assert.False(IsHeldAfter(5));
    }

    [Fact]
    public void Long_ticks_count_by_their_length()
    {
        _worker.Begin();
        Assert.False(IsHeldAfter(3_600_000));
        Assert.True(IsHeldAfter(3_600_000));
    }

    private bool IsHeldAfter(int milliseconds)
    {
        _member.Look(TimeSpan.FromMilliseconds(milliseconds), out _, out _);
        return _member.IsHeld;
    }
}
