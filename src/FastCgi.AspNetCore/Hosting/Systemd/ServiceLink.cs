using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Hosting.Systemd;

/// <summary>The server's side of systemd, where that is the service manager: notifications and the watchdog.</summary>
internal sealed partial class ServiceLink : IDisposable
{
    private readonly Watchdog? _watchdog;
    private readonly CancellationTokenRegistration _stopping;

    private ServiceLink(ServiceNotifier notifier, Watchdog? watchdog, CancellationToken stopping)
    {
        (Notifier, _watchdog) = (notifier, watchdog);
        _stopping = stopping.UnsafeRegister(static notifier => ((ServiceNotifier)notifier!).Stopping(), notifier);
    }

    /// <summary>Null where the service manager asks for no notifications.</summary>
    public static ServiceLink? Start(
        Func<string, string?> variable,
        IReadOnlyList<System.Net.EndPoint> endpoints,
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
        notifier.Ready();
        var policy = new WatchdogPolicy();
        Watchdog? watchdog = time is { } limit
            ? new Watchdog(limit, Lives, notifier.Feed, logger)
            : null;
        return new ServiceLink(notifier, watchdog, stopping);

        bool Lives(TimeSpan timeout) => policy.Lives(
            endpoints.All(endPoint => WatchdogProbe.IsAnswered(endPoint, timeout)),
            connections.IsFull,
            connections.BegunRequests - connections.RejectedRequests);
    }

    public ServiceNotifier Notifier { get; }

    public void Tick() => Notifier.Tick();

    public void Dispose()
    {
        _stopping.Dispose();
        _watchdog?.Dispose();
    }

    [LoggerMessage(LogEvents.WatchdogWithoutNotification, LogLevel.Warning,
        "WATCHDOG_USEC is set, but NOTIFY_SOCKET is not: the watchdog cannot be fed, and systemd will end the " +
        "service. Set Type=notify in the unit.",
        EventName = nameof(LogEvents.WatchdogWithoutNotification))]
    private static partial void LogNoNotification(ILogger logger);
}
