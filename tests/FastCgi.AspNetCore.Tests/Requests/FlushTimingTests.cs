namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>Runs that end late. docs/architecture.md has the table of all transitions, made from the code.</summary>
public class FlushTimingTests
{
    [Fact]
    public void A_run_that_another_one_followed_ends_nothing()
    {
        var timing = default(FlushTiming);
        var first = timing.BeginRun();
        var second = timing.BeginRun();
        Assert.False(timing.TryEndRun(first));
        Assert.Equal(FlushHold.Run, timing.Hold);
        Assert.True(timing.TryEndRun(second));
        Assert.Equal(FlushHold.Free, timing.Hold);
    }

    [Fact]
    public void A_run_of_an_earlier_response_ends_nothing()
    {
        var timing = default(FlushTiming);
        var earlier = timing.BeginRun();
        timing.Reset();
        Assert.False(timing.TryEndRun(earlier));
        var present = timing.BeginRun();
        timing.Flush(isWhole: false);
        Assert.False(timing.TryEndRun(earlier));
        Assert.Equal((FlushHold.Run, true), (timing.Hold, timing.IsPending));
        Assert.True(timing.TryEndRun(present));
        Assert.True(timing.IsDue);
    }

    [Theory, InlineData(false), InlineData(true)]
    public void An_upload_holds_a_flush_until_it_ends_and_what_has_left_is_not_due(bool runs)
    {
        var timing = default(FlushTiming);
        var upload = new object();
        var run = runs ? timing.BeginRun() : timing.Run;
        timing.BeginUpload(upload);
        timing.Flush(isWhole: false);
        Assert.Equal((true, false), (timing.IsHeldByUpload, timing.IsDue));

        Assert.True(timing.TryEndUpload(upload));
        Assert.Equal((false, !runs), (timing.IsHeldByUpload, timing.IsDue));
        Assert.False(timing.TryEndUpload(upload));

        Assert.True(timing.TryEndRun(run));
        Assert.True(timing.IsDue);
        timing.Leave();
        Assert.False(timing.IsDue);
    }
}
