namespace FastCgi.Client;

/// <summary>Limits as timers take them.</summary>
internal static class TimerLimit
{
    /// <summary>49.7 days: a timer refuses more.</summary>
    private static readonly TimeSpan s_longest = TimeSpan.FromMilliseconds(uint.MaxValue - 1);

    /// <summary>A limit that is longer than a timer can count is none.</summary>
    public static TimeSpan From(TimeSpan limit) => limit <= s_longest ? limit : Timeout.InfiniteTimeSpan;
}
