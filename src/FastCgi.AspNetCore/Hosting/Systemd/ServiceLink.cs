using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Transport.Listening;

namespace FastCgi.AspNetCore.Hosting.Systemd;

/// <summary>The server's side of systemd, where that is the service manager: notifications and the watchdog.</summary>
internal sealed partial class ServiceLink : IDisposable
{
    private Func<Watchdog>? _newWatchdog;
    private Watchdog? _watchdog;
    private readonly CancellationTokenRegistration _stopping;
    private volatile bool _isStopping;

    private ServiceLink(ServiceNotifier notifier, CancellationToken stopping)
    {
        Notifier = notifier;
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

        var notifier = new ServiceNotifier(socket, () => (connections.OpenRequests, connections.BegunRequests));
        var link = new ServiceLink(notifier, stopping);
        if (time is { } limit)
        {
            var policy = new WatchdogPolicy();
            var watch = new EndpointWatch(() => connections.Accepted, logger);
            link._newWatchdog = () => new Watchdog(limit, Lives, notifier.Feed, logger);

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

    public ServiceNotifier Notifier { get; }

    /// <summary>The server serves, and takes SIGHUP: systemd may send one as soon as it hears of it.</summary>
    public void Ready()
    {
        if (!_isStopping)
        {
            Notifier.Ready();
        }

        _watchdog = _newWatchdog?.Invoke();
    }

    public void Tick() => Notifier.Tick();

    /// <summary>The server begins to stop: its endpoints are about to close.</summary>
    public void BeginStop() => _isStopping = true;

    public void Dispose()
    {
        _stopping.Dispose();
        _watchdog?.Dispose();
        Notifier.Dispose();
    }

    private void OnHostStopping()
    {
        BeginStop();
        Notifier.Stopping();
    }

    [LoggerMessage(LogEvents.WatchdogWithoutNotification, LogLevel.Warning,
        "WATCHDOG_USEC is set, but NOTIFY_SOCKET is not: the watchdog cannot be fed, and systemd will end the " +
        "service. Set Type=notify in the unit.",
        EventName = nameof(LogEvents.WatchdogWithoutNotification))]
    private static partial void LogNoNotification(ILogger logger);
}
