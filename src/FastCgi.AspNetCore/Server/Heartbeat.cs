using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Server;

/// <summary>
/// One tick a second for everything that waits: no request and no connection has a timer of its own. It stops while
/// nothing waits, so that an idle server costs nothing.
/// </summary>
internal sealed partial class Heartbeat : IDisposable
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    /// <summary>Ticks that nothing needed, after which it sleeps.</summary>
    public const int IdleTicksUntilSleep = 10;

    private readonly Action _tick;
    private readonly Func<bool>? _isNeeded;
    private readonly ILogger _log;
    private readonly ITimer _timer;
    private int _ticking;
    private int _idleTicks; // Of the tick that runs.
    private int _asleep;

    /// <summary>Calls <paramref name="tick"/>, one call at a time. Without a second function it never sleeps.</summary>
    public Heartbeat(TimeProvider timeProvider, Action tick, ILogger log, Func<bool>? isNeeded = null)
    {
        _tick = tick;
        _isNeeded = isNeeded;
        _log = log;
        _timer = timeProvider.CreateTimer(static state => ((Heartbeat)state!).OnTimer(), this, Interval, Interval);
    }

    /// <summary>It stands still, since nothing needs it.</summary>
    public bool IsAsleep => Volatile.Read(ref _asleep) != 0;

    /// <summary>
    /// Something needs it from now on. <paramref name="clock"/> moves on before anybody sees the heartbeat awake, so
    /// no reader takes a time from before its sleep.
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
        // A tick that takes longer than a second is not overtaken by the next.
        if (Interlocked.Exchange(ref _ticking, 1) != 0)
        {
            return;
        }

        try
        {
            _tick();
            _idleTicks = _isNeeded?.Invoke() == false ? _idleTicks + 1 : 0;
            if (_idleTicks == IdleTicksUntilSleep)
            {
                Sleep();
            }
        }
        catch (Exception exception)
        {
            // An exception that leaves a timer ends the process.
            LogFailed(_log, exception);
        }
        finally
        {
            Volatile.Write(ref _ticking, 0);
        }
    }

    /// <summary>
    /// Falls asleep. A user that comes after the first look and before the sleep is seen by the second look.
    /// </summary>
    private void Sleep()
    {
        _idleTicks = 0;
        _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        Interlocked.Exchange(ref _asleep, 1);
        if (_isNeeded!())
        {
            Resume();
        }
    }

    /// <summary>Resumes once for each sleep: the first caller does it.</summary>
    private void Resume()
    {
        if (Interlocked.Exchange(ref _asleep, 0) != 0)
        {
            _timer.Change(Interval, Interval);
        }
    }

    [LoggerMessage(LogEvents.HeartbeatFailed, LogLevel.Error, "A tick of the heartbeat failed.",
        EventName = nameof(LogEvents.HeartbeatFailed))]
    private static partial void LogFailed(ILogger logger, Exception exception);
}
