namespace FastCgi.AspNetCore.Tests.Operations.Systemd;

public class WatchdogPolicyTests
{
    private readonly WatchdogPolicy _policy = new();

    [Fact]
    public void A_server_that_answers_lives() =>
        Assert.True(_policy.Lives(isOpen: true, isFull: false, ended: 0));

    [Fact]
    public void One_that_does_not_answer_does_not_even_if_requests_end()
    {
        Assert.False(_policy.Lives(isOpen: false, isFull: false, ended: 1));
        Assert.False(_policy.Lives(isOpen: false, isFull: true, ended: 2));
    }

    [Fact]
    public void Held_places_of_which_none_becomes_free_are_no_life()
    {
        Assert.True(_policy.Lives(isOpen: true, isFull: true, ended: 5));
        Assert.False(_policy.Lives(isOpen: true, isFull: true, ended: 5));
        Assert.False(_policy.Lives(isOpen: true, isFull: true, ended: 5));
    }

    [Fact]
    public void A_server_that_is_full_and_finishes_requests_lives()
    {
        for (var ended = 0; ended < 10; ended++)
        {
            Assert.True(_policy.Lives(isOpen: true, isFull: true, ended));
        }
    }

    /// <summary>One handler that never returns holds one place: the others go on.</summary>
    [Fact]
    public void A_server_with_a_free_place_lives_though_none_ends()
    {
        Assert.True(_policy.Lives(isOpen: true, isFull: false, ended: 5));
        Assert.True(_policy.Lives(isOpen: true, isFull: false, ended: 5));
    }

    /// <summary>systemd allows centuries, and no wait of .NET takes as long.</summary>
    [Fact]
    public void The_longest_time_of_a_watchdog_ends_no_process()
    {
        using var fed = new ManualResetEventSlim();
        using var watchdog = new Watchdog(TimeSpan.MaxValue, IsShort, fed.Set, NullLogger.Instance);

        Assert.True(fed.Wait(Deadline.Default));

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
