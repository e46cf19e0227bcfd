namespace FastCgi.Client;

/// <summary>Time limits for timers.</summary>
internal static class TimerLimit
{
    /// <summary>49.7 days, the maximum of a timer.</summary>
    private static readonly TimeSpan s_longest = TimeSpan.FromMilliseconds(uint.MaxValue - 1);

    /// <summary>Returns the limit, or infinite if it is longer than a timer can count.</summary>
    public static TimeSpan From(TimeSpan limit) => limit <= s_longest ? limit : Timeout.InfiniteTimeSpan;
}
