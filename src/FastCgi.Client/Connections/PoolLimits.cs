namespace FastCgi.Client.Connections;

/// <summary>The limits for the number and the age of connections.</summary>
internal sealed record PoolLimits(int MaxConnections, TimeSpan IdleTimeout, TimeSpan Lifetime)
{
    /// <summary>True if a connection is so old that it takes no more requests.</summary>
    public bool IsOld(long createdAt, TimeProvider clock) => HasPassed(createdAt, Lifetime, clock);

    /// <summary>True if a connection has been idle for too long to be kept.</summary>
    public bool IsIdleTooLong(long idleSince, TimeProvider clock) => HasPassed(idleSince, IdleTimeout, clock);

    private static bool HasPassed(long since, TimeSpan limit, TimeProvider clock) =>
        limit != Timeout.InfiniteTimeSpan && clock.GetElapsedTime(since) >= limit;
}
