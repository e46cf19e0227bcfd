namespace FastCgi.AspNetCore.Tests.Scheduling;

public class WorkerGrowthTests
{
    private const int Processors = 2;
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(5);

    private readonly WorkerGrowth _growth;
    private TimeSpan _processorTime;

    public WorkerGrowthTests() => _growth = new WorkerGrowth(new ProcessorUse(Processors, () => _processorTime));

    [Theory]
    [InlineData(1, 0)]
    [InlineData(0, 16)]
    public void Nothing_is_added_while_a_thread_waits_or_requests_end_quickly(int waiting, int ended) =>
        Assert.All(Enumerable.Range(0, 100), _ => Assert.Equal(0, _growth.Decide(4, waiting, ended, Tick)));

    [Fact]
    public void Blocked_threads_get_company_twice_as_fast_at_each_tick()
    {
        var added = Enumerable.Range(0, 9).Select(_ => _growth.Decide(4, waiting: 0, ended: 15, Tick));

        Assert.Equal([0, 1, 2, 4, 8, 16, 32, 64, 64], added);
    }

    [Fact]
    public void A_thread_that_waits_again_slows_the_growth_down()
    {
        _growth.Decide(4, waiting: 0, ended: 0, Tick);
        _growth.Decide(4, waiting: 0, ended: 0, Tick);
        Assert.Equal(2, _growth.Decide(4, waiting: 0, ended: 0, Tick));

        _growth.Decide(4, waiting: 1, ended: 0, Tick);

        Assert.Equal(0, _growth.Decide(4, waiting: 0, ended: 0, Tick));
        Assert.Equal(1, _growth.Decide(4, waiting: 0, ended: 0, Tick));
    }

    [Fact]
    public void Threads_that_compute_get_company_only_when_nothing_ends_for_long()
    {
        var added = Enumerable.Range(0, 40).Select(_ =>
        {
            _processorTime += Tick * Processors;
            return _growth.Decide(2, waiting: 0, ended: 0, Tick, held: 2);
        }).ToList();

        Assert.Equal(1, added[19]);
        Assert.Equal(1, added[39]);
        Assert.Equal(2, added.Sum());
    }

    [Fact]
    public void A_held_thread_that_has_a_processor_to_spare_gets_company_at_the_first_tick() =>
        Assert.Equal(1, _growth.Decide(1, waiting: 0, ended: 0, Tick));

    [Theory]
    [InlineData(1, 0.9, 60, true)]
    [InlineData(Processors, 2, 60, false)]
    [InlineData(1, 0.5, 600, false)]
    public void A_thread_that_short_requests_fill_gets_company_up_to_the_processors_it_has(
        int workers, double used, int ticks, bool isAdded)
    {
        var wanted = Decisions(workers, used, ticks);

        Assert.Equal(isAdded ? [0, 1] : [0], wanted.Distinct().Order());
    }

    [Fact]
    public void A_thread_goes_when_the_others_would_do_for_seconds()
    {
        var wanted = Decisions(workers: 2, used: 0.4, ticks: 1000);

        Assert.Equal(-1, wanted.Min());
        // Not before a second of it has been seen.
        Assert.All(wanted.Take(200), early => Assert.Equal(0, early));
        Assert.All(Decisions(workers: 1, used: 0, ticks: 1000), last => Assert.Equal(0, last));
    }

    [Fact]
    public void Threads_that_were_held_a_moment_ago_stay()
    {
        for (var round = 0; round < 20; round++)
        {
            Assert.All(Decisions(workers: 8, used: 0.1, ticks: 100), wanted => Assert.Equal(0, wanted));
            _growth.Decide(8, waiting: 0, ended: 0, Tick);
        }
    }

    [Fact]
    public void There_is_an_end_to_it()
    {
        for (var i = 0; i < 20; i++)
        {
            _growth.Decide(4, waiting: 0, ended: 0, Tick);
        }

        Assert.Equal(3, _growth.Decide(WorkerGrowth.MaxWorkers - 3, waiting: 0, ended: 0, Tick));
        Assert.Equal(0, _growth.Decide(WorkerGrowth.MaxWorkers, waiting: 0, ended: 0, Tick));
    }

    [Fact]
    public void A_thread_that_lets_no_more_short_requests_end_goes_again()
    {
        Assert.Equal(1, Decisions(workers: 1, used: 0.9, ticks: 60, ended: 500).Sum());
        Assert.Equal(-1, Decisions(workers: 2, used: 1.5, ticks: 60, ended: 500).Sum());

        // And is not tried again for two seconds, then for four.
        Assert.Equal(0, Decisions(workers: 1, used: 0.9, ticks: 380, ended: 500).Sum());
        Assert.Equal(1, Decisions(workers: 1, used: 0.9, ticks: 40, ended: 500).Sum());
        Assert.Equal(-1, Decisions(workers: 2, used: 1.5, ticks: 60, ended: 500).Sum());
        Assert.Equal(0, Decisions(workers: 1, used: 0.9, ticks: 780, ended: 500).Sum());
    }

    [Theory]
    [InlineData(60, 500, 1.8, 600)] // more requests end
    [InlineData(40, 10, 1.5, 10)] // long requests, of which no more end
    public void A_thread_that_lets_more_short_requests_end_or_serves_long_ones_stays(
        int ticks, int ended, double used, int endedByTwo)
    {
        Assert.Equal(1, Decisions(workers: 1, used: 0.9, ticks, ended).Sum());
        Assert.Equal(0, Decisions(workers: 2, used, ticks: 1000, endedByTwo).Sum());
    }

    /// <summary>Ticks in which requests end quickly, while the process uses so many processors.</summary>
    private List<int> Decisions(int workers, double used, int ticks, int? ended = null) => Enumerable
        .Range(0, ticks)
        .Select(_ =>
        {
            _processorTime += Tick * used;
            return _growth.Decide(workers, waiting: 0, ended ?? (4 * workers), Tick);
        })
        .ToList();
}
