using System.Globalization;
using System.Text;

namespace FastCgi.AspNetCore.Operations.Status;

internal sealed partial class StatusPage
{
    /// <summary>
    /// The OpenMetrics text format, with the names and types that PHP-FPM gives its metrics, so that dashboards made
    /// for it show this server. A figure that is unknown is left out.
    /// </summary>
    public static string AsMetrics(StatusSnapshot status)
    {
        var text = new StringBuilder();
        ListenQueueFigures? queue = status.Queue;
        AppendMetric(text, "up", "gauge", "Whether the server answers.", 1);
        AppendMetric(
            text, "start_since", "counter", "Seconds since the server started.",
            (long)status.Age.TotalSeconds);
        AppendMetric(text, "accepted_connections", "counter", "Requests since the start.", status.Accepted);
        AppendMetric(text, "listen_queue", "gauge", "Connections that wait to be accepted.", queue?.Waiting);
        AppendMetric(
            text, "max_listen_queue", "counter", "The most connections that waited since the start.", queue?.Most);
        AppendMetric(text, "listen_queue_length", "gauge", "Connections that can wait.", queue?.Length);
        AppendMetric(text, "idle_processes", "gauge", "Requests for which there is a place or a thread.", status.Idle);
        AppendMetric(text, "active_processes", "gauge", "Requests that run.", status.Active);
        AppendMetric(text, "total_processes", "gauge", "Idle and active together.", status.Idle + status.Active);
        AppendMetric(
            text, "max_active_processes", "counter", "The most requests that ran at a time since the start.",
            status.MostActive);
        AppendMetric(
            text, "max_children_reached", "counter", "How often MaxConcurrentRequests was reached.",
            status.LimitReached);
        AppendMetric(text, "slow_requests", "counter", "Requests that ran longer than SlowRequestAfter.", status.Slow);
        return text.Append("# EOF\n").ToString();
    }

    private static void AppendMetric(
        StringBuilder text, string name, string type, string help, long? value)
    {
        if (value is { } known)
        {
            text.Append(CultureInfo.InvariantCulture, $"# HELP phpfpm_{name} {help}\n");
            text.Append(CultureInfo.InvariantCulture, $"# TYPE phpfpm_{name} {type}\n");
            text.Append(CultureInfo.InvariantCulture, $"phpfpm_{name} {known}\n");
        }
    }
}
