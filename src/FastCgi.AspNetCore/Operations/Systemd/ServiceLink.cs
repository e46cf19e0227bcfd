using System.Diagnostics;
using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Operations.Systemd;

/// <summary>
/// The server's side of systemd, where that is the service manager: it tells of readiness, of the stop, and a line for
/// <c>systemctl status</c>, and feeds the watchdog.
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

    /// <summary>Null where the service manager asks for no notifications. Else <see cref="Ready"/> follows.</summary>
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
                LogNoNotification(logger);
            }

            return null;
        }

        var link = new ServiceLink(socket, connections, stopping);
        if (time is { } limit)
        {
            var policy = new WatchdogPolicy();
            var watch = new EndpointWatch(() => connections.Accepted, logger);
            link._newWatchdog = () => new Watchdog(limit, Lives, () => socket.TrySend("WATCHDOG=1"), logger);

            // A stop has a time limit of its own, and closes the endpoints first.
            bool Lives(TimeSpan timeout)
            {
                bool?[] open = [.. listeners().ToArray().Select(listener => IsOpen(listener, timeout))];
                return policy.Lives(
                    !open.Contains(false),
                    connections.IsFull || open.Contains(null),
                    connections.BegunRequests - connections.RejectedRequests) || link._isStopping;
            }

            // A reload may have removed it meanwhile.
            bool? IsOpen(EndpointListener listener, TimeSpan timeout) =>
                watch.IsOpen(listener, timeout) is var isOpen && (isOpen != false || listeners().Contains(listener))
                    ? isOpen
                    : true;
        }

        return link;
    }

    /// <summary>The server serves, and takes SIGHUP: systemd may send one as soon as it hears of it.</summary>
    public void Ready()
    {
        Reloaded();
        _watchdog = _newWatchdog?.Invoke();
    }

    /// <summary>A reload begins; systemd compares the time with that of its own order (sd_notify(3)).</summary>
    public void Reloading()
    {
        _owesReady = false;
        long now = Stopwatch.GetTimestamp() / (Stopwatch.Frequency / 1_000_000);
        _socket.TrySend(string.Create(
            CultureInfo.InvariantCulture, $"RELOADING=1\nMONOTONIC_USEC={now}\nSTATUS=Reloading"));
    }

    /// <summary>
    /// A reload has ended. For systemd this is the message that the sockets listen, and after a stop has begun it would
    /// be wrong.
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
    /// Once a second: tells that the sockets listen if systemd could not take it, and every five seconds the figures if
    /// they have changed.
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

    /// <summary>The server begins to stop: its endpoints are about to close.</summary>
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
        $"STATUS={_connections.OpenRequests} requests running, {_connections.BegunRequests} served");

    [LoggerMessage(LogEvents.WatchdogWithoutNotification, LogLevel.Warning,
        "WATCHDOG_USEC is set, but NOTIFY_SOCKET is not: the watchdog cannot be fed, and systemd will end the " +
        "service. Set Type=notify in the unit.",
        EventName = nameof(LogEvents.WatchdogWithoutNotification))]
    private static partial void LogNoNotification(ILogger logger);
}
