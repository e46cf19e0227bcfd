namespace FastCgi.Client.Connections;

/// <summary>How many connections there are, and for how long.</summary>
internal sealed record PoolLimits(int MaxConnections, TimeSpan IdleTimeout, TimeSpan Lifetime)
{
    /// <summary>A connection of this age takes no further request.</summary>
    public bool IsOld(long createdAt, TimeProvider clock) => HasPassed(createdAt, Lifetime, clock);

    /// <summary>A connection that has been idle for so long is not kept.</summary>
    public bool IsIdleTooLong(long idleSince, TimeProvider clock) => HasPassed(idleSince, IdleTimeout, clock);

    private static bool HasPassed(long since, TimeSpan limit, TimeProvider clock) =>
        limit != Timeout.InfiniteTimeSpan && clock.GetElapsedTime(since) >= limit;
}
