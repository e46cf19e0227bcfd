namespace FastCgi.AspNetCore.Tests.Scheduling;

/// <summary>A pinned number of threads, some of which are held, so that fewer serve.</summary>
public class HeldReplacementTests
{
    private const int Pinned = 5;
    private const int Processors = 2;
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(5);

    private readonly WorkerGrowth _growth;
    private TimeSpan _processorTime;
    private int _held = Pinned;

    public HeldReplacementTests() =>
        _growth = new WorkerGrowth(new ProcessorUse(Processors, () => _processorTime), Pinned);

    [Fact]
    public void Whatever_is_missing_comes_at_once_when_there_are_processors_to_spare()
    {
        // The first tick that asks has no earlier use to compare with.
        Assert.Equal([0, 5, 5], Decide(missing: 5, ended: 0, used: 0.5, ticks: 3));
    }

    /// <summary>500 handlers that block for seconds would otherwise keep the next request waiting for seconds.</summary>
    [Fact]
    public void Twice_as_many_come_each_time_while_each_replacement_is_held_at_once() =>
        Assert.Equal([1, 2, 4, 8, 16, 32, 64, 64, 64], Enumerable.Range(0, 9).Select(_ => Replace()));

    [Fact]
    public void One_comes_again_when_threads_have_had_nothing_to_do()
    {
        Assert.Equal([1, 2, 4], Enumerable.Range(0, 3).Select(_ => Replace()));

        Decide(missing: 0, ended: 0, used: 0, ticks: 2, waiting: 1);

        Assert.Equal(1, Replace());
    }

    [Fact]
    public void Threads_that_the_system_does_not_give_are_not_asked_for_twice_as_often() =>
        Assert.Equal([0, 1, 1, 1, 1], Decide(missing: 1, ended: 0, used: 0, ticks: 5));

    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(2, 1, Processors)]
    public void Nothing_comes_when_nothing_is_missing_and_while_requests_of_computing_threads_end(
        int missing, long ended, double used) =>
        Assert.All(Decide(missing, ended, used, ticks: 100), static added => Assert.Equal(0, added));

    [Fact]
    public void Threads_that_compute_are_replaced_one_by_one_when_nothing_ends_for_long()
    {
        var added = Decide(missing: 2, ended: 0, used: Processors, ticks: 60);

        Assert.Equal([19, 39, 59], Enumerable.Range(0, 60).Where(tick => added[tick] > 0));
        Assert.Equal(3, added.Sum());
    }

    /// <summary>A replacement, until the threads that it brings are held too.</summary>
    private int Replace()
    {
        // A thread that was started just now waits in the first tick.
        Decide(missing: 0, ended: 0, used: 0, ticks: 1, waiting: 1);
        Decide(missing: 0, ended: 0, used: 0, ticks: 3);
        var added = Decide(missing: 1, ended: 0, used: 0, ticks: 2).Sum();
        _held += added;
        return added;
    }

    private List<int> Decide(int missing, long ended, double used, int ticks, int waiting = 0) => Enumerable
        .Range(0, ticks)
        .Select(_ =>
        {
            _processorTime += s_tick * used;
            return _growth.Decide(_held + Pinned - missing, waiting, ended, s_tick, _held);
        })
        .ToList();
}
