using Xunit.Sdk;

namespace FastCgi.Protocol.Tests.TestKit;

public class LatchTests
{
    private readonly Latch _latch = new();

    [Fact]
    public async Task A_thread_goes_on_when_the_latch_is_set_and_is_not_kept_afterwards()
    {
        var kept = Task.Run(() => _latch.Wait());
        Assert.False(kept.IsCompleted);

        _latch.Set();

        await kept.Within("the thread that was kept");
        _latch.Wait(TimeSpan.Zero);
    }

    [Fact]
    public async Task A_thread_that_is_kept_for_twice_the_limit_fails()
    {
        var kept = Task.Run(() => _latch.Wait(TimeSpan.FromMilliseconds(20)));

        var failure = await Assert.ThrowsAnyAsync<XunitException>(() => kept.Within("the thread that was kept"));

        Assert.Contains("Nothing lets the kept thread go on", failure.Message, StringComparison.Ordinal);
    }
}
