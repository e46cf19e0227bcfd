namespace FastCgi.AspNetCore.Tests.Operations.Systemd;

public class WatchdogPolicyTests
{
    /// <summary>One handler that never returns holds one place: the others go on.</summary>
    [Theory]
    [InlineData(true, false, new long[] { 0 }, new[] { true })]
    [InlineData(true, false, new long[] { 5, 5 }, new[] { true, true })]
    [InlineData(true, true, new long[] { 5, 5, 5 }, new[] { true, false, false })]
    [InlineData(true, true, new long[] { 0, 1, 2, 3 }, new[] { true, true, true, true })]
    [InlineData(false, false, new long[] { 1 }, new[] { false })]
    [InlineData(false, true, new long[] { 1, 2 }, new[] { false, false })]
    public void A_server_lives_that_answers_and_has_a_free_place_or_ends_requests(
        bool isOpen, bool isFull, long[] ended, bool[] lives)
    {
        var policy = new WatchdogPolicy();

        Assert.Equal(lives, ended.Select(count => policy.Lives(isOpen, isFull, count)));
    }

    /// <summary>systemd allows centuries, and no wait of .NET takes as long.</summary>
    [Fact]
    public void The_longest_time_of_a_watchdog_ends_no_process()
    {
        var fed = new Latch();
        using var watchdog = new Watchdog(TimeSpan.MaxValue, IsShort, fed.Set, NullLogger.Instance);

        fed.Wait();

        static bool IsShort(TimeSpan timeout) => timeout < TimeSpan.FromDays(1);
    }

    [Theory]
    [InlineData("30000000", null, 30)]
    [InlineData("30000000", "", 30)]
    [InlineData("30000000", "42", 30)]
    [InlineData("30000000", "43", null)]
    [InlineData("30000000", "x", null)]
    [InlineData("0", null, null)]
    [InlineData("-1", null, null)]
    [InlineData("18446744073709551615", null, null)]
    [InlineData("", null, null)]
    [InlineData(null, null, null)]
    public void The_time_comes_from_the_environment_if_it_is_meant_for_us(string? time, string? id, int? seconds) =>
        Assert.Equal(
            seconds is { } given ? TimeSpan.FromSeconds(given) : null,
            Watchdog.TimeFrom(time, id, ownProcessId: 42));
}
