using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Server;

/// <summary>
/// One tick a second for all timeouts: no request and no connection needs a timer of its own. Sleeps while there is
/// nothing to do, so that an idle server costs nothing.
/// </summary>
internal sealed partial class Heartbeat : IDisposable
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    /// <summary>The number of unneeded ticks before it sleeps.</summary>
    public const int IdleTicksUntilSleep = 10;

    private readonly Action _tick;
    private readonly Func<bool> _isNeeded;
    private readonly ILogger _log;
    private readonly ITimer _timer;
    private int _ticking;
    private int _idleTicks; // Only used by the running tick.
    private int _asleep;

    /// <summary>Calls <paramref name="tick"/>, one call at a time. Sleeps while it is not needed.</summary>
    public Heartbeat(TimeProvider timeProvider, Action tick, ILogger log, Func<bool> isNeeded)
    {
        _tick = tick;
        _isNeeded = isNeeded;
        _log = log;
        _timer = timeProvider.CreateTimer(static state => ((Heartbeat)state!).OnTimer(), this, Interval, Interval);
    }

    /// <summary>True while it sleeps because nothing needs it.</summary>
    public bool IsAsleep => Volatile.Read(ref _asleep) != 0;

    /// <summary>
    /// Wakes the heartbeat for a new user. <paramref name="clock"/> moves on before any thread sees the heartbeat
    /// awake, so no reader gets a time from before its sleep.
    /// </summary>
    public void Wake(ServerClock clock)
    {
        if (IsAsleep)
        {
            clock.Tick();
            Resume();
        }
    }

    public void Dispose() => _timer.Dispose();

    private void OnTimer()
    {
        // If a tick takes longer than a second, the next one is left out.
        if (Interlocked.Exchange(ref _ticking, 1) != 0)
        {
            return;
        }

        try
        {
            _tick();
            _idleTicks = _isNeeded() ? 0 : _idleTicks + 1;
            if (_idleTicks == IdleTicksUntilSleep)
            {
                Sleep();
            }
        }
        catch (Exception exception)
        {
            // An unhandled exception in a timer would end the process.
            HeartbeatFailed(_log, exception);
        }
        finally
        {
            Volatile.Write(ref _ticking, 0);
        }
    }

    /// <summary>Falls asleep. The second check finds a user that came between the first one and the sleep.</summary>
    private void Sleep()
    {
        _idleTicks = 0;
        _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        Interlocked.Exchange(ref _asleep, 1);
        if (_isNeeded())
        {
            Resume();
        }
    }

    /// <summary>Resumes the ticks. Only the first caller after a sleep does so.</summary>
    private void Resume()
    {
        if (Interlocked.Exchange(ref _asleep, 0) != 0)
        {
            _timer.Change(Interval, Interval);
        }
    }

    [LoggerMessage(LogEvents.HeartbeatFailed, LogLevel.Error, "A tick of the heartbeat failed.")]
    private static partial void HeartbeatFailed(ILogger logger, Exception exception);
}

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
