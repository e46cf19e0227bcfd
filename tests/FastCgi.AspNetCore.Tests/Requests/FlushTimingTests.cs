namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>Runs that end late. docs/architecture.md has the table of all transitions, made from the code.</summary>
public class FlushTimingTests
{
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
}
