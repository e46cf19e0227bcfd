namespace FastCgi.AspNetCore.Tests.TestKit;

public class InterleavingsTests
{
    [Fact]
    public void Every_order_runs_once()
    {
        var seen = new List<string>();

        var orders = Interleavings.Explore(
            static () => new List<char>(),
            run => seen.Add(string.Concat(run)),
            new Actor<List<char>>("a", static run => run.Add('a'), static run => run.Add('A')),
            new Actor<List<char>>("b", static run => run.Add('b'), static run => run.Add('B')));

        Assert.Equal(6, orders);
        Assert.Equal(["aAbB", "abAB", "abBA", "bBaA", "baAB", "baBA"], seen.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void A_lost_update_is_found_and_its_order_printed()
    {
        var failure = Assert.Throws<InterleavingException>(() => Interleavings.Explore(
            static () => new Counter(),
            static counter => Assert.Equal(2, counter.Value),
            new Actor<Counter>("first", IncrementInTwoSteps),
            new Actor<Counter>("second", IncrementInTwoSteps)));

        Assert.Contains("first: read 0", failure.Order);
        Assert.Contains("second: read 0", failure.Order);
        Assert.Contains("after these steps:", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_actor_waits_for_its_signal_and_actors_that_wait_for_each_other_fail()
    {
        Interleavings.Explore(
            static () => new Counter(),
            static counter => Assert.Equal(2, counter.Value),
            new Actor<Counter>("signals", static counter => counter.Value = 1),
            new Actor<Counter>("waits", WaitAndIncrement));

        var failure = Assert.Throws<InterleavingException>(() => Interleavings.Explore(
            static () => new Counter(), static _ => { }, new Actor<Counter>("waits", WaitAndIncrement)));
        Assert.Contains("wait for ever", failure.Message, StringComparison.Ordinal);
    }

    private static IEnumerable<Step> IncrementInTwoSteps(Counter counter)
    {
        var value = counter.Value;
        yield return $"read {value}";
        counter.Value = value + 1;
        yield return $"wrote {value + 1}";
    }

    private static IEnumerable<Step> WaitAndIncrement(Counter counter)
    {
        yield return Step.Until(() => counter.Value > 0, "waits");
        counter.Value++;
    }

    private sealed class Counter
    {
        public int Value { get; set; }
    }
}
