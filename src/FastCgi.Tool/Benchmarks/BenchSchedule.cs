namespace FastCgi.Tool.Benchmarks;

/// <summary>The order and the start times of requests.</summary>
internal sealed class BenchSchedule(TimeProvider clock, TimeSpan duration, long? requests, double? rate)
{
    private readonly long _start = clock.GetTimestamp();
    private long _taken;

    /// <summary>False if the time is over or all requests are taken.</summary>
    /// <param name="begin">The scheduled timestamp of the request, which may be in the future.</param>
    public bool TryTake(out long begin)
    {
        long index = Interlocked.Increment(ref _taken) - 1;
        begin = rate is { } perSecond
            ? _start + (long)(index / perSecond * clock.TimestampFrequency)
            : clock.GetTimestamp();
        return (requests is null || index < requests) && clock.GetElapsedTime(_start, begin) < duration;
    }
}
