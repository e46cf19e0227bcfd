namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>Allows one log entry a minute, with the number of events that it represents. Any thread.</summary>
internal sealed class LogInterval(TimeProvider timeProvider)
{
    private static readonly TimeSpan s_length = TimeSpan.FromMinutes(1);

    private long _count;
    private long _quietUntil = long.MinValue;

    /// <summary>Counts an event. True if it should be logged, as one of <paramref name="count"/> new events.</summary>
    public bool TryEnter(out long count)
    {
        Interlocked.Increment(ref _count);
        long now = timeProvider.GetTimestamp();
        long quietUntil = Volatile.Read(ref _quietUntil);
        long next = now + ((long)s_length.TotalSeconds * timeProvider.TimestampFrequency);
        bool isDue = now >= quietUntil && Interlocked.CompareExchange(ref _quietUntil, next, quietUntil) == quietUntil;
        count = isDue ? Interlocked.Exchange(ref _count, 0) : 0;
        return isDue;
    }
}
