using System.Diagnostics;
using System.Globalization;

namespace FastCgi.AspNetCore.Hosting.Systemd;

/// <summary>Tells systemd about the server: readiness, a line for <c>systemctl status</c>, the stop.</summary>
internal sealed class ServiceNotifier(NotifySocket socket, Func<(long Running, long Served)> figures) : IDisposable
{
    private const int TicksBetween = 5;

    private string? _told;
    private int _ticks;

    /// <summary>The sockets listen.</summary>
    public void Ready() => socket.TrySend("READY=1\n" + Status());

    /// <summary>The host has begun to stop.</summary>
    public void Stopping() => socket.TrySend("STOPPING=1\nSTATUS=Stopping");

    /// <summary>A reload begins; systemd compares the time with that of its own order (sd_notify(3)).</summary>
    public void Reloading()
    {
        long now = Stopwatch.GetTimestamp() / (Stopwatch.Frequency / 1_000_000);
        socket.TrySend(string.Create(
            CultureInfo.InvariantCulture, $"RELOADING=1\nMONOTONIC_USEC={now}\nSTATUS=Reloading"));
    }

    public void Feed() => socket.TrySend("WATCHDOG=1");

    /// <summary>Once a second: tells the figures every five seconds, if they have changed.</summary>
    public void Tick()
    {
        if (++_ticks % TicksBetween == 0 && Status() is var status && status != _told)
        {
            _told = status;
            socket.TrySend(status);
        }
    }

    public void Dispose() => socket.Dispose();

    private string Status()
    {
        (long running, long served) = figures();
        return string.Create(CultureInfo.InvariantCulture, $"STATUS={running} requests running, {served} served");
    }
}
