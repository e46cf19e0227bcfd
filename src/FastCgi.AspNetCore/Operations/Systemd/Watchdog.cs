using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Operations.Systemd;

/// <summary>Feeds systemd's watchdog from its own thread, because requests may block the thread pool.</summary>
internal sealed partial class Watchdog : IDisposable
{
    /// <summary>Upper limit for the time that systemd allows, because waits in .NET are limited too.</summary>
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(1);

    private readonly ManualResetEventSlim _stop = new();
    private readonly TimeSpan _time;
    private readonly TimeSpan _pace;
    private readonly Func<TimeSpan, bool> _lives;
    private readonly Action _feed;
    private readonly ILogger _logger;

    /// <summary>Feeds twice per period if <paramref name="lives"/>, which gets a time limit, returns true.</summary>
    public Watchdog(TimeSpan time, Func<TimeSpan, bool> lives, Action feed, ILogger logger)
    {
        (_time, _lives, _feed, _logger) = (time, lives, feed, logger);
        _pace = time < s_longest ? time : s_longest;
        new Thread(Run) { IsBackground = true, Name = "FastCGI watchdog" }.Start();
    }

    /// <summary>WATCHDOG_USEC, if it is meant for this process (sd_watchdog_enabled(3)); otherwise null.</summary>
    public static TimeSpan? TimeFrom(string? microseconds, string? processId, int ownProcessId) =>
        ulong.TryParse(microseconds, out ulong value) && value is > 0 and < long.MaxValue / TimeSpan.TicksPerMicrosecond
        && (string.IsNullOrEmpty(processId) || (int.TryParse(processId, out int id) && id == ownProcessId))
            ? TimeSpan.FromMicroseconds(value)
            : null;

    public void Dispose() => _stop.Set();

    private void Run()
    {
        bool wasAlive = true;
        do
        {
            bool lives = Lives();
            if (lives)
            {
                _feed();
            }
            else if (wasAlive)
            {
                WatchdogNotFed(_logger, _time.TotalSeconds);
            }

            wasAlive = lives;
        }
        while (!_stop.Wait(_pace / 3));
    }

    private bool Lives()
    {
        try
        {
            return _lives(_pace / 4);
        }
        catch (Exception exception)
        {
            // The state of the server is unknown, so the watchdog decides.
            WatchdogFailed(_logger, exception);
            return false;
        }
    }

    [LoggerMessage(LogEvents.WatchdogNotFed, LogLevel.Error,
        "No request gets through any more: as long as that is so, the watchdog is not fed, and systemd restarts the " +
        "service {Seconds} s after the last time.")]
    private static partial void WatchdogNotFed(ILogger logger, double seconds);

    [LoggerMessage(LogEvents.WatchdogFailed, LogLevel.Error, "The probe of the watchdog failed.")]
    private static partial void WatchdogFailed(ILogger logger, Exception exception);
}

/// <summary>
/// Decides whether the server may report that it is alive. It may while connections get through the queues in which
/// others wait. While a limit of requests or descriptors is reached, it may as long as some requests end. A pure rule.
/// </summary>
internal sealed class WatchdogPolicy
{
    private long _endedBefore = -1;

    /// <param name="isOpen">True if the connections of every endpoint are served.</param>
    /// <param name="isFull">
    /// True if as many requests run as MaxConcurrentRequests allows, or no descriptors are left for connections.
    /// </param>
    /// <param name="ended">Requests that have ended since the start. Only compared.</param>
    public bool Lives(bool isOpen, bool isFull, long ended)
    {
        bool hasProgressed = ended != _endedBefore;
        if (isOpen && (!isFull || hasProgressed))
        {
            _endedBefore = ended;
            return true;
        }

        return false;
    }
}
