using FastCgi.AspNetCore.Scheduling;

namespace FastCgi.AspNetCore.Tests.Scheduling;

public class HeldReplacementTests
{
    private const int Processors = 2;
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(5);

    private readonly ProcessorUse _use;
    private readonly HeldReplacement _rule;
    private TimeSpan _processorTime;

    public HeldReplacementTests()
    {
        _use = new ProcessorUse(Processors, () => _processorTime);
        _rule = new HeldReplacement(_use);
    }

    [Fact]
    public void Whatever_is_missing_comes_at_once_when_there_are_processors_to_spare()
    {
        // The first tick that asks has no earlier use to compare with.
        Assert.Equal([0, 5, 5], Decide(missing: 5, ended: 0, used: 0.5, ticks: 3));
    }

    [Fact]
    public void Nothing_comes_when_nothing_is_missing() =>
        Assert.All(Decide(missing: 0, ended: 0, used: 0, ticks: 100), static added => Assert.Equal(0, added));

    [Fact]
    public void Threads_that_compute_are_replaced_one_by_one_when_nothing_ends_for_long()
    {
        var added = Decide(missing: 2, ended: 0, used: Processors, ticks: 60);

        Assert.Equal([19, 39, 59], Enumerable.Range(0, 60).Where(tick => added[tick] > 0));
        Assert.Equal(3, added.Sum());
    }

    [Fact]
    public void Threads_that_compute_are_not_replaced_while_requests_end() =>
        Assert.All(
            Decide(missing: 2, ended: 1, used: Processors, ticks: 100), static added => Assert.Equal(0, added));

    private List<int> Decide(int missing, long ended, double used, int ticks) => Enumerable
        .Range(0, ticks)
        .Select(_ =>
        {
            _processorTime += s_tick * used;
            _use.BeginTick(s_tick);
            return _rule.Decide(missing, ended);
        })
        .ToList();
}
