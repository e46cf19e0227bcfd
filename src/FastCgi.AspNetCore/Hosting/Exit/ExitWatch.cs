using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Hosting.Exit;

/// <summary>
/// Asks the policy once a second, and the host to stop when the policy says so. The stop takes no connection that still
/// waits: whoever holds the listening socket starts the next process for it.
/// </summary>
internal sealed partial class ExitWatch(
    ExitPolicy policy,
    Func<string?> ownEndpoint,
    ConnectionSet connections,
    TimeProvider timeProvider,
    Action stop,
    ILogger logger)
{
    private readonly long _started = timeProvider.GetTimestamp();
    private bool _hasExited;
    private bool _hasWarned;

    /// <summary>
    /// Null unless the options ask for an exit. It happens while all sockets outlive the process:
    /// <paramref name="ownEndpoint"/> is the address of one that does not.
    /// </summary>
    public static ExitWatch? For(
        FastCgiServerOptions options,
        Func<string?> ownEndpoint,
        ConnectionSet connections,
        TimeProvider timeProvider,
        Action? stop,
        ILogger logger)
    {
        if (options is { ExitAfterRequests: null, ExitAboveMemory: null }
            && options.ExitWhenIdleFor == Timeout.InfiniteTimeSpan)
        {
            return null;
        }

        if (stop is null)
        {
            LogNotInherited(logger, ownEndpoint());
            return null;
        }

        // Processes that were started together do not end together.
        var policy = new ExitPolicy(
            options.ExitWhenIdleFor, options.ExitAfterRequests, options.ExitAboveMemory, Random.Shared.NextDouble());
        var watch = new ExitWatch(policy, ownEndpoint, connections, timeProvider, stop, logger);
        _ = watch.IsPossible();
        return watch;
    }

    public void Tick()
    {
        long open = connections.Count + connections.OpenRequests;
        var figures = new ExitFigures(open, connections.BegunRequests, Environment.WorkingSet);
        if (!_hasExited && IsPossible() && policy.Judge(timeProvider.GetElapsedTime(_started), figures) is { } reason)
        {
            _hasExited = true;
            LogExit(logger, reason, figures.Requests, figures.Memory / (1024 * 1024));
            stop();
        }
    }

    /// <summary>A reload may have added a socket that ends with the process.</summary>
    private bool IsPossible()
    {
        if (ownEndpoint() is not { } own)
        {
            return true;
        }

        if (!_hasWarned)
        {
            _hasWarned = true;
            LogNotInherited(logger, own);
        }

        return false;
    }

    [LoggerMessage(LogEvents.Exit, LogLevel.Information,
        "The process ends and leaves its sockets to the next one: {Reason}. It has served {Requests} requests and " +
        "uses {Memory} MiB.",
        EventName = nameof(LogEvents.Exit))]
    private static partial void LogExit(ILogger logger, ExitReason reason, long requests, long memory);

    [LoggerMessage(LogEvents.ExitNotPossible, LogLevel.Warning,
        "ExitWhenIdleFor, ExitAfterRequests and ExitAboveMemory have no effect: the server has made the socket of " +
        "{Endpoint} itself, and requests would be lost. Let systemd or the web server pass the sockets (a .socket " +
        "unit, spawn-fcgi); or let systemd recycle the process at the price of those requests, by RuntimeMaxSec= or " +
        "MemoryMax= with Restart=always.",
        EventName = nameof(LogEvents.ExitNotPossible))]
    private static partial void LogNotInherited(ILogger logger, string? endpoint);
}
