using System.Net;
using System.Net.Sockets;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Hosting.Systemd;

/// <summary>
/// Whether connections get through an endpoint. One of the server's own shows it. Where that one cannot be made, as on
/// a socket of systemd that belongs to another user, the listen queue tells: nothing may wait in it while nothing is
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
        SocketError outcome = WatchdogProbe.Try(listener.LocalEndPoint, timeout);
        if (outcome == SocketError.Success || !IsOutOfReach(outcome, listener.IsInherited))
        {
            return outcome == SocketError.Success;
        }

        if (_told.Add(listener.LocalEndPoint))
        {
            LogOutOfReach(logger, listener.LocalEndPoint, new SocketException((int)outcome).Message);
        }

        return IsQueueMoving(listener, timeout);
    }

    /// <summary>The failure tells what this process may do and see, and nothing about the server.</summary>
    private static bool IsOutOfReach(SocketError failure, bool isInherited) => failure switch
    {
        SocketError.AccessDenied or SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported =>
            true,
        SocketError.TimedOut or SocketError.WouldBlock or SocketError.InProgress => false,

        // A sandbox hides the socket. One that the server made itself has lost its file, and a restart makes another.
        _ => isInherited,
    };

    /// <summary>
    /// True also where the system does not tell the queue: then it is unknown, and no reason for a restart.
    /// </summary>
    private bool IsQueueMoving(EndpointListener listener, TimeSpan timeout)
    {
        long before = accepted();
        return SpinWait.SpinUntil(
            () => listener.ReadQueue() is not { Waiting: > 0 } || accepted() != before, timeout);
    }

    [LoggerMessage(LogEvents.WatchdogOutOfReach, LogLevel.Warning,
        "The process cannot connect to its own endpoint {EndPoint}: {Reason}. So the watchdog sees only whether its " +
        "listen queue stands still, and not whether requests get through. If the socket belongs to another user, set " +
        "SocketUser= in the .socket unit to the user of the service.",
        EventName = nameof(LogEvents.WatchdogOutOfReach))]
    private static partial void LogOutOfReach(ILogger logger, EndPoint endPoint, string reason);
}
