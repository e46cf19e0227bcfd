using System.Diagnostics;
using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Operations.Systemd;

/// <summary>
/// The connection to systemd, if that is the service manager. Reports that the server is ready or stopping, sends a
/// line for <c>systemctl status</c>, and feeds the watchdog.
/// </summary>
internal sealed partial class ServiceLink : IDisposable
{
    private const int TicksBetween = 5;

    private readonly NotifySocket _socket;
    private readonly ConnectionSet _connections;
    private string? _told;
    private volatile bool _owesReady;
    private int _ticks;
    private Func<Watchdog>? _newWatchdog;
    private Watchdog? _watchdog;
    private readonly CancellationTokenRegistration _stopping;
    private volatile bool _isStopping;

    private ServiceLink(NotifySocket socket, ConnectionSet connections, CancellationToken stopping)
    {
        _socket = socket;
        _connections = connections;
        _stopping = stopping.UnsafeRegister(static link => ((ServiceLink)link!).OnHostStopping(), this);
    }

    /// <summary>Null if the service manager asks for no notifications; else call <see cref="Ready"/> next.</summary>
    public static ServiceLink? Begin(
        Func<string, string?> variable,
        Func<IEnumerable<EndpointListener>> listeners,
        ConnectionSet connections,
        ILogger logger,
        CancellationToken stopping)
    {
        TimeSpan? time = Watchdog.TimeFrom(
            variable("WATCHDOG_USEC"), variable("WATCHDOG_PID"), Environment.ProcessId);
        if (NotifySocket.From(variable("NOTIFY_SOCKET")) is not { } socket)
        {
            if (time is not null)
            {
                WatchdogWithoutNotification(logger);
            }

            return null;
        }

        var link = new ServiceLink(socket, connections, stopping);
        if (time is { } limit)
        {
            var policy = new WatchdogPolicy();
            var watch = new EndpointWatch(() => connections.Accepted, logger);
            link._newWatchdog = () => new Watchdog(limit, Lives, () => socket.TrySend("WATCHDOG=1"), logger);

            // A stop has its own time limit, and closes the endpoints first.
            bool Lives(TimeSpan timeout)
            {
                bool?[] open = [.. listeners().ToArray().Select(listener => IsOpen(listener, timeout))];
                return policy.Lives(
                    !open.Contains(false),
                    connections.Server.IsFull || open.Contains(null),
                    connections.BegunRequests - connections.Server.RejectedRequests) || link._isStopping;
            }

            // A reload may have removed the endpoint meanwhile.
            bool? IsOpen(EndpointListener listener, TimeSpan timeout) =>
                watch.IsOpen(listener, timeout) is var isOpen && (isOpen != false || listeners().Contains(listener))
                    ? isOpen
                    : true;
        }

        return link;
    }

    /// <summary>Reports that the server serves and handles SIGHUP, which systemd may then send at once.</summary>
    public void Ready()
    {
        Reloaded();
        _watchdog = _newWatchdog?.Invoke();
    }

    /// <summary>Reports a reload. systemd compares the time with that of its request (sd_notify(3)).</summary>
    public void Reloading()
    {
        _owesReady = false;
        long now = Stopwatch.GetTimestamp() / (Stopwatch.Frequency / 1_000_000);
        _socket.TrySend(string.Create(
            CultureInfo.InvariantCulture, $"RELOADING=1\nMONOTONIC_USEC={now}\nSTATUS=Reloading"));
    }

    /// <summary>
    /// Reports the end of a reload. For systemd this message means that the sockets listen, so it must not follow the
    /// begin of a stop.
    /// </summary>
    public void Reloaded()
    {
        if (_isStopping)
        {
            return;
        }

        _owesReady = _socket.Send("READY=1\n" + Status()) == SocketError.WouldBlock;
        if (_owesReady)
        {
            _connections.TickWhenIdle();
        }
    }

    /// <summary>
    /// Called once a second. Reports again that the sockets listen if systemd could not take that message. Every five
    /// seconds, reports the figures if they have changed.
    /// </summary>
    public void Tick()
    {
        if (_owesReady)
        {
            Reloaded();
        }

        if (++_ticks % TicksBetween == 0 && Status() is var status && status != _told && _socket.TrySend(status))
        {
            _told = status;
        }
    }

    /// <summary>The server begins to stop, and its endpoints are about to close.</summary>
    public void BeginStop() => _isStopping = true;

    public void Dispose()
    {
        _stopping.Dispose();
        _watchdog?.Dispose();
        _socket.Dispose();
    }

    private void OnHostStopping()
    {
        BeginStop();
        _socket.TrySend("STOPPING=1\nSTATUS=Stopping");
    }

    private string Status() => string.Create(
        CultureInfo.InvariantCulture,
        $"STATUS={_connections.Server.OpenRequests} requests running, {_connections.BegunRequests} served");

    [LoggerMessage(LogEvents.WatchdogWithoutNotification, LogLevel.Warning,
        "WATCHDOG_USEC is set, but NOTIFY_SOCKET is not: the watchdog cannot be fed, and systemd will end the " +
        "service. Set Type=notify in the unit.")]
    private static partial void WatchdogWithoutNotification(ILogger logger);
}
