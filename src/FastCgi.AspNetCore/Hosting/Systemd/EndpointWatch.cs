using System.Net;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Hosting.Systemd;

/// <summary>
/// Whether connections get through an endpoint. One of the server's own shows it. The system may forbid that one, as
/// on a socket of systemd that belongs to another user: then nothing may wait in the listen queue while nothing is
/// accepted.
/// </summary>
/// <param name="accepted">Connections that were accepted since the start; only compared.</param>
/// <param name="logger">For the endpoints that only their queue can be judged by.</param>
internal sealed partial class EndpointWatch(Func<long> accepted, ILogger logger)
{
    private readonly HashSet<EndPoint> _told = [];

    /// <summary>
    /// Called by one thread. Takes no longer than <paramref name="timeout"/> for each step of the connection, or for
    /// the queue.
    /// </summary>
    public bool IsOpen(EndpointListener listener, TimeSpan timeout)
    {
        WatchdogOutcome outcome = WatchdogProbe.Try(listener.LocalEndPoint, timeout);
        if (outcome != WatchdogOutcome.Forbidden)
        {
            return outcome == WatchdogOutcome.Answered;
        }

        if (_told.Add(listener.LocalEndPoint))
        {
            LogForbidden(logger, listener.LocalEndPoint);
        }

        return IsQueueMoving(listener, timeout);
    }

    /// <summary>
    /// True also where the system does not tell the queue: then it is unknown, and no reason for a restart.
    /// </summary>
    private bool IsQueueMoving(EndpointListener listener, TimeSpan timeout)
    {
        long before = accepted();
        return SpinWait.SpinUntil(
            () => listener.ReadQueue() is not { Waiting: > 0 } || accepted() != before, timeout);
    }

    [LoggerMessage(LogEvents.WatchdogForbidden, LogLevel.Warning,
        "The process may not connect to its own endpoint {EndPoint}. So the watchdog sees only whether its listen " +
        "queue stands still, and not whether requests get through. In the .socket unit, set SocketUser= to the user " +
        "of the service.",
        EventName = nameof(LogEvents.WatchdogForbidden))]
    private static partial void LogForbidden(ILogger logger, EndPoint endPoint);
}
