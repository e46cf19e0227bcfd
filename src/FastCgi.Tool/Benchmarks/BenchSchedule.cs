namespace FastCgi.Tool.Benchmarks;

/// <summary>Which request comes next, and when it begins.</summary>
internal sealed class BenchSchedule(TimeProvider clock, TimeSpan duration, long? requests, double? rate)
{
    private readonly long _start = clock.GetTimestamp();
    private long _taken;

    /// <summary>False when the time is over or all requests are taken.</summary>
    /// <param name="begin">The timestamp of the request's place in the schedule; may lie ahead.</param>
    public bool TryTake(out long begin)
    {
        long index = Interlocked.Increment(ref _taken) - 1;
        begin = rate is { } perSecond
            ? _start + (long)(index / perSecond * clock.TimestampFrequency)
            : clock.GetTimestamp();
        return (requests is null || index < requests) && clock.GetElapsedTime(_start, begin) < duration;
    }
}
