using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Operations.Systemd;

/// <summary>Feeds systemd's watchdog from a thread of its own, since requests may hold the thread pool.</summary>
internal sealed partial class Watchdog : IDisposable
{
    /// <summary>It is fed as for this time where systemd allows more: no wait of .NET takes as long.</summary>
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(1);

    private readonly ManualResetEventSlim _stop = new();
    private readonly TimeSpan _time;
    private readonly TimeSpan _pace;
    private readonly Func<TimeSpan, bool> _lives;
    private readonly Action _feed;
    private readonly ILogger _logger;

    /// <summary>It is fed twice in its time if the server lives, which is asked with a time for the answer.</summary>
    public Watchdog(TimeSpan time, Func<TimeSpan, bool> lives, Action feed, ILogger logger)
    {
        (_time, _lives, _feed, _logger) = (time, lives, feed, logger);
        _pace = time < s_longest ? time : s_longest;
        new Thread(Run) { IsBackground = true, Name = "FastCGI watchdog" }.Start();
    }

    /// <summary>WATCHDOG_USEC, if it is meant for this process (sd_watchdog_enabled(3)); null for none.</summary>
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
                LogNotFed(_logger, _time.TotalSeconds);
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
            // It is unknown whether the server lives: the watchdog decides.
            LogFailed(_logger, exception);
            return false;
        }
    }

    [LoggerMessage(LogEvents.WatchdogNotFed, LogLevel.Error,
        "No request gets through any more: as long as that is so, the watchdog is not fed, and systemd restarts the " +
        "service {Seconds} s after the last time.",
        EventName = nameof(LogEvents.WatchdogNotFed))]
    private static partial void LogNotFed(ILogger logger, double seconds);

    [LoggerMessage(LogEvents.WatchdogFailed, LogLevel.Error, "The probe of the watchdog failed.",
        EventName = nameof(LogEvents.WatchdogFailed))]
    private static partial void LogFailed(ILogger logger, Exception exception);
}

/// <summary>
/// Decides whether the server may say that it lives. It does as long as connections get through the queues that others
/// wait in, and while a limit of requests or descriptors is reached, as long as some requests end. A pure rule.
/// </summary>
internal sealed class WatchdogPolicy
{
    private long _endedBefore = -1;

    /// <param name="isOpen">The connections of every endpoint are served.</param>
    /// <param name="isFull">
    /// As many requests run as MaxConcurrentRequests allows, or as many connections are open as there are descriptors.
    /// </param>
    /// <param name="ended">Requests that have ended since the start; only compared.</param>
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
