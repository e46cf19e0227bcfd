namespace FastCgi.AspNetCore.Server;

/// <summary>Coarse time, updated once a second by the heartbeat: requests make no system calls for it.</summary>
internal sealed class ServerClock(TimeProvider timeProvider)
{
    private long _now = timeProvider.GetTimestamp();

    /// <summary>A timestamp of the server's TimeProvider, up to a second old.</summary>
    public long Now => Volatile.Read(ref _now);

    public void Tick() => Volatile.Write(ref _now, timeProvider.GetTimestamp());

    /// <summary>True if more than <paramref name="limit"/> has passed. Never true for an infinite limit.</summary>
    public bool HasPassed(TimeSpan limit, long since) => limit != Timeout.InfiniteTimeSpan && Since(since) > limit;

    public TimeSpan Since(long then) => timeProvider.GetElapsedTime(then, Now);
}
