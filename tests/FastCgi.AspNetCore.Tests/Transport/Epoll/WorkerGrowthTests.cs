using System.Runtime.Versioning;
using FastCgi.AspNetCore.Transport.Epoll;

namespace FastCgi.AspNetCore.Tests.Transport.Epoll;

[SupportedOSPlatform("linux")]
public class WorkerGrowthTests
{
    private const int Processors = 2;
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(5);

    private TimeSpan _processorTime;

    [Fact]
    public void Nothing_is_added_while_a_thread_waits()
    {
        var growth = Growth();

        Assert.All(Enumerable.Range(0, 100), _ => Assert.Equal(0, growth.Decide(4, waiting: 1, ended: 0, Tick)));
    }

    [Fact]
    public void Nothing_is_added_while_requests_end_quickly()
    {
        var growth = Growth();

        Assert.All(Enumerable.Range(0, 100), _ => Assert.Equal(0, growth.Decide(4, waiting: 0, ended: 16, Tick)));
    }

    [Fact]
    public void Blocked_threads_get_company_twice_as_fast_at_each_tick()
    {
        var growth = Growth();
        var added = Enumerable.Range(0, 9).Select(_ => growth.Decide(4, waiting: 0, ended: 15, Tick));

        Assert.Equal([0, 1, 2, 4, 8, 16, 32, 64, 64], added);
    }

    [Fact]
    public void A_thread_that_waits_again_slows_the_growth_down()
    {
        var growth = Growth();
        growth.Decide(4, waiting: 0, ended: 0, Tick);
        growth.Decide(4, waiting: 0, ended: 0, Tick);
        Assert.Equal(2, growth.Decide(4, waiting: 0, ended: 0, Tick));

        growth.Decide(4, waiting: 1, ended: 0, Tick);

        Assert.Equal(0, growth.Decide(4, waiting: 0, ended: 0, Tick));
        Assert.Equal(1, growth.Decide(4, waiting: 0, ended: 0, Tick));
    }

    [Fact]
    public void Threads_that_compute_get_company_only_when_nothing_ends_for_long()
    {
        var growth = Growth();
        var added = Enumerable.Range(0, 40).Select(_ =>
        {
            _processorTime += Tick * Processors;
            return growth.Decide(2, waiting: 0, ended: 0, Tick);
        }).ToList();

        Assert.Equal(1, added[19]);
        Assert.Equal(1, added[39]);
        Assert.Equal(2, added.Sum());
    }

    [Fact]
    public void There_is_an_end_to_it()
    {
        var growth = Growth();
        for (var i = 0; i < 20; i++)
        {
            growth.Decide(4, waiting: 0, ended: 0, Tick);
        }

        Assert.Equal(3, growth.Decide(WorkerGrowth.MaxWorkers - 3, waiting: 0, ended: 0, Tick));
        Assert.Equal(0, growth.Decide(WorkerGrowth.MaxWorkers, waiting: 0, ended: 0, Tick));
    }

    private WorkerGrowth Growth() => new(Processors, () => _processorTime);
}
