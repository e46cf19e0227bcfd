namespace FastCgi.AspNetCore.Server;

/// <summary>Coarse time, moved on by the heartbeat once a second, so that no request asks the system for it.</summary>
internal sealed class ServerClock(TimeProvider timeProvider)
{
    private long _now = timeProvider.GetTimestamp();

    /// <summary>A timestamp of the server's TimeProvider, up to a second old.</summary>
    public long Now => Volatile.Read(ref _now);

    public void Tick() => Volatile.Write(ref _now, timeProvider.GetTimestamp());

    /// <summary>A time limit of the options is over; an infinite one never is.</summary>
    public bool HasPassed(TimeSpan limit, long since) => limit != Timeout.InfiniteTimeSpan && Since(since) > limit;

    public TimeSpan Since(long then) => timeProvider.GetElapsedTime(then, Now);
}
