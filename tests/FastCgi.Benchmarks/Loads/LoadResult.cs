namespace FastCgi.Benchmarks.Loads;

/// <summary>What a load generator counted.</summary>
/// <param name="Requests">Those that were answered, rightly or not.</param>
/// <param name="Failed">Wrong status, wrong answer, a connection that broke, no answer in time.</param>
/// <param name="Duration">As it came out, not as it was asked for.</param>
internal sealed record LoadResult(
    long Requests, long Failed, TimeSpan Duration, TimeSpan Median, TimeSpan Percentile99)
{
    /// <param name="text">Begins with numbers in the order above, with blanks between them, times in microseconds.</param>
    public static LoadResult Parse(string text)
    {
        long[] numbers = [.. text.Split(' ').Select(static text => long.Parse(text, CultureInfo.InvariantCulture))];
        return new LoadResult(numbers[0], numbers[1], Time(numbers[2]), Time(numbers[3]), Time(numbers[4]));
    }

    private static TimeSpan Time(long microseconds) => TimeSpan.FromMicroseconds(microseconds);
}
