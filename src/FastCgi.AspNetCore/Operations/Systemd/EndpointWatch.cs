using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Transport;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Operations.Systemd;

/// <summary>
/// Checks that the server serves the connections of an endpoint, by connecting to it. If that is impossible, for
/// example because systemd's socket belongs to another user, the listen queue decides: it must be empty, or shrink.
/// </summary>
internal sealed partial class EndpointWatch(Func<long> accepted, ILogger logger)
{
    private readonly HashSet<EndPoint> _told = [];

    /// <summary>
    /// Each step takes at most <paramref name="timeout"/>. Called by one thread. True for an endpoint without a socket.
    /// </summary>
    /// <returns>
    /// Null if connections wait for descriptors, as the probe would too. Then only requests that end show that the
    /// server is alive.
    /// </returns>
    public bool? IsOpen(EndpointListener listener, TimeSpan timeout)
    {
        if (!listener.CanBeProbed)
        {
            return true;
        }

        if (listener.LacksRoom)
        {
            return listener.ReadQueue() is not { Waiting: > 0 } ? true : null;
        }

        SocketError outcome = Probe(listener, timeout);
        if (outcome == SocketError.Success)
        {
            return true;
        }

        if (listener.LacksRoom || AcceptFailures.IsLack(outcome))
        {
            return null;
        }

        if (!IsOutOfReach(outcome, listener.IsInherited))
        {
            return false;
        }

        if (_told.Add(listener.LocalEndPoint))
        {
            WatchdogOutOfReach(logger, listener.LocalEndPoint, new SocketException((int)outcome).Message);
        }

        return IsQueueMoving(listener, timeout);
    }

    /// <summary>The lists of allowed clients do not apply to the probe: it stands for other clients.</summary>
    private static SocketError Probe(EndpointListener listener, TimeSpan timeout)
    {
        try
        {
            return TryConnect(listener.LocalEndPoint, timeout, probe => listener.ProbedFrom = probe);
        }
        finally
        {
            listener.ProbedFrom = null;
        }
    }

    /// <summary>True if the failure is caused by the rights of this process, not by the server.</summary>
    private static bool IsOutOfReach(SocketError failure, bool isInherited) => failure switch
    {
        SocketError.AccessDenied or SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported =>
            true,
        SocketError.TimedOut or SocketError.WouldBlock or SocketError.InProgress => false,

        // A sandbox may hide an inherited socket. If an own socket has lost its file, a restart creates another one.
        _ => isInherited,
    };

    /// <summary>Also true if the system does not report the queue, which is no reason for a restart.</summary>
    private bool IsQueueMoving(EndpointListener listener, TimeSpan timeout)
    {
        long before = accepted();
        return SpinWait.SpinUntil(
            () => listener.ReadQueue() is not { Waiting: > 0 } || accepted() != before, timeout);
    }

    [LoggerMessage(LogEvents.WatchdogOutOfReach, LogLevel.Warning,
        "The process cannot connect to its own endpoint {EndPoint}: {Reason}. The watchdog checks only its listen " +
        "queue, and not whether requests are served. If the socket belongs to another user, set SocketUser= in the " +
        ".socket unit to the user of the service.")]
    private static partial void WatchdogOutOfReach(ILogger logger, EndPoint endPoint, string reason);

    /// <summary>
    /// Connects to the server, ends the stream, and waits for the server to close. By then the server has accepted and
    /// read the connection, with the threads that serve requests. This works with every protocol and every refusal.
    /// Each step takes at most <paramref name="timeout"/>.
    /// </summary>
    /// <remarks>The callback gets the local address of the probe before the probe connects.</remarks>
    /// <returns>Success if the server has accepted, read and closed the connection; otherwise the error.</returns>
    internal static SocketError TryConnect(EndPoint endPoint, TimeSpan timeout, Action<IPEndPoint> onBound)
    {
        EndPoint[] ways = WaysTo(endPoint);
        SocketError outcome = TryOne(ways[0], timeout, onBound);
        return outcome != SocketError.Success
            && ways.Skip(1).Any(way => TryOne(way, timeout, onBound) == SocketError.Success)
            ? SocketError.Success
            : outcome;
    }

    /// <summary>The addresses by which a listener can be reached from this machine, the best one first.</summary>
    internal static EndPoint[] WaysTo(EndPoint endPoint) => endPoint is not IPEndPoint ip ? [endPoint]
        : ip.Address.Equals(IPAddress.Any) ? [new IPEndPoint(IPAddress.Loopback, ip.Port)]

        // It may accept IPv4 too, and a machine may have IPv6 sockets without an IPv6 address.
        : ip.Address.Equals(IPAddress.IPv6Any) ?
            [new IPEndPoint(IPAddress.IPv6Loopback, ip.Port), new IPEndPoint(IPAddress.Loopback, ip.Port)]
        : [endPoint];

    private static SocketError TryOne(EndPoint endPoint, TimeSpan timeout, Action<IPEndPoint> onBound)
    {
        try
        {
            using var socket = new Socket(
                endPoint.AddressFamily,
                SocketType.Stream,
                endPoint is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified);
            socket.SendTimeout = socket.ReceiveTimeout = (int)timeout.TotalMilliseconds;
            if (endPoint is IPEndPoint ip && BindToSameAddress(socket, ip) is { } own)
            {
                onBound(own);
            }

            socket.Connect(endPoint);
            socket.Shutdown(SocketShutdown.Send);
            Span<byte> rest = stackalloc byte[64];
            while (socket.Receive(rest) > 0)
            {
            }

            return SocketError.Success;
        }
        catch (SocketException exception)
        {
            // A reset is also an answer.
            return exception.SocketErrorCode is SocketError.ConnectionReset or SocketError.Shutdown
                ? SocketError.Success
                : exception.SocketErrorCode;
        }
    }

    /// <summary>
    /// Binds the probe to the listener's address, from which it would connect anyway. Null if no port is free; the
    /// connection may still find one.
    /// </summary>
    private static IPEndPoint? BindToSameAddress(Socket socket, IPEndPoint listener) =>
        socket.Try(probe => probe.Bind(new IPEndPoint(listener.Address, 0)))
            ? (IPEndPoint?)socket.LocalEndPoint
            : null;
}
