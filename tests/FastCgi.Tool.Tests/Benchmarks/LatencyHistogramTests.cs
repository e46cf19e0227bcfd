using FastCgi.Tool.Benchmarks;

namespace FastCgi.Tool.Tests.Benchmarks;

public sealed class LatencyHistogramTests
{
    [Theory]
    [InlineData(50)]
    [InlineData(90)]
    [InlineData(99)]
    [InlineData(99.9)]
    [InlineData(100)]
    public void A_percentile_is_right_within_its_bucket(double percentile)
    {
        var histogram = new LatencyHistogram();
        for (var i = 1; i <= 10_000; i++)
        {
            histogram.Record(TimeSpan.FromMicroseconds(i));
        }

        var exact = TimeSpan.FromMicroseconds(Math.Ceiling(10_000 * percentile / 100));
        Assert.InRange(histogram.Percentile(percentile), exact, exact * 1.016);
        Assert.Equal(10_000, histogram.Count);
        Assert.Equal(TimeSpan.FromMicroseconds(5000.5), histogram.Mean);
    }

    /// <summary>Half of three requests are two.</summary>
    [Fact]
    public void A_share_between_two_requests_is_the_slower_one()
    {
        var histogram = new LatencyHistogram();
        Array.ForEach([1, 2, 3], ticks => histogram.Record(TimeSpan.FromTicks(ticks)));

        Assert.Equal(TimeSpan.FromTicks(2), histogram.Percentile(50));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(63)]
    [InlineData(64)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(129)]
    [InlineData(1_000_000_007)]
    [InlineData(long.MaxValue / 2)]
    public void One_time_is_every_percentile(long ticks)
    {
        var histogram = new LatencyHistogram();
        histogram.Record(TimeSpan.FromTicks(ticks));

        Assert.Equal(TimeSpan.FromTicks(ticks), histogram.Percentile(50));
        Assert.Equal(1, histogram.CountBetween(TimeSpan.MinValue, TimeSpan.MaxValue));
    }

    [Fact]
    public void Sums_are_those_of_both()
    {
        var first = new LatencyHistogram();
        first.Record(TimeSpan.FromMilliseconds(1));
        var second = new LatencyHistogram();
        second.Record(TimeSpan.FromMilliseconds(3));
        first.Add(second);

        Assert.Equal(2, first.Count);
        Assert.Equal(TimeSpan.FromMilliseconds(2), first.Mean);
        Assert.Equal(TimeSpan.FromMilliseconds(1), first.Minimum);
        Assert.Equal(TimeSpan.FromMilliseconds(3), first.Maximum);
    }
}
