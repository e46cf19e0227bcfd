using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Server;

/// <summary>One tick a second for everything that waits: no request and no connection has a timer of its own.</summary>
internal sealed partial class Heartbeat : IDisposable
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly Action _tick;
    private readonly ILogger _log;
    private readonly ITimer _timer;
    private int _ticking;

    public Heartbeat(TimeProvider timeProvider, Action tick, ILogger log)
    {
        _tick = tick;
        _log = log;
        _timer = timeProvider.CreateTimer(static state => ((Heartbeat)state!).OnTimer(), this, Interval, Interval);
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

    [LoggerMessage(LogEvents.HeartbeatFailed, LogLevel.Error, "A tick of the heartbeat failed.",
        EventName = nameof(LogEvents.HeartbeatFailed))]
    private static partial void LogFailed(ILogger logger, Exception exception);
}
