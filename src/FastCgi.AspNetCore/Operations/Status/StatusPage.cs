using System.Buffers;
using System.Text.Json;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Operations.Status;

/// <summary>The status page in the format that the query asks for.</summary>
/// <param name="take">Takes the figures, and all running requests if it is true.</param>
internal sealed class StatusPage(Func<bool, StatusSnapshot> take)
{
    private const int ValueColumn = 22;

    private const string HtmlHead =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>FastCGI status</title></head>\n<body>\n";

    public ServerAnswer Answer(string query)
    {
        StatusSnapshot status = take(Asks(query, "full"));
        return Asks(query, "html") ? Page("text/html;charset=UTF-8", AsHtml(status))
            : Asks(query, "xml") ? Page("text/xml;charset=UTF-8", AsXml(status))
            : Asks(query, "json") ? new ServerAnswer(200, "application/json", AsJson(status))
            : Asks(query, "openmetrics") ? Page(
                "application/openmetrics-text; version=1.0.0; charset=utf-8", AsMetrics(status))
            : ServerAnswer.Text(200, AsText(status));
    }

    private static ServerAnswer Page(string contentType, string body) =>
        new(200, contentType, Encoding.UTF8.GetBytes(body));

    /// <summary>The query has the key, with or without a value.</summary>
    private static bool Asks(string query, string key)
    {
        foreach (Range part in query.AsSpan().TrimStart('?').Split('&'))
        {
            ReadOnlySpan<char> pair = query.AsSpan().TrimStart('?')[part];
            int equals = pair.IndexOf('=');
            if ((equals < 0 ? pair : pair[..equals]).SequenceEqual(key))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>One field a line, and a line of stars before each request.</summary>
    public static string AsText(StatusSnapshot status)
    {
        var text = new StringBuilder();
        AppendLines(text, StatusField.OfServer(status));
        foreach (var request in status.Requests ?? [])
        {
            text.Append("\n************************\n");
            AppendLines(text, StatusField.OfRequest(request, status.Now));
        }

        return text.ToString();
    }

    private static void AppendLines(StringBuilder text, IEnumerable<StatusField> fields)
    {
        foreach (StatusField field in fields)
        {
            text.Append($"{field.NameInText ?? field.Name}:".PadRight(ValueColumn));
            text.Append(field.ForPeople()).Append('\n');
        }
    }

    /// <summary>For a browser: a table of the figures, and a table of the running requests.</summary>
    public static string AsHtml(StatusSnapshot status)
    {
        var html = new StringBuilder(HtmlHead).Append("<table>\n");
        foreach (StatusField field in StatusField.OfServer(status))
        {
            html.Append("<tr>");
            AppendCell(html, "th", field.Name);
            AppendCell(html, "td", field.ForPeople());
            html.Append("</tr>\n");
        }

        html.Append("</table>\n");
        if (status.Requests is { Count: > 0 } requests)
        {
            AppendRequests(html, requests, status.Now);
        }

        return html.Append("</body></html>\n").ToString();
    }

    private static void AppendRequests(
        StringBuilder html, IReadOnlyList<RequestSnapshot> requests, DateTimeOffset now)
    {
        html.Append("<table border=\"1\">\n<tr>");
        foreach (StatusField field in StatusField.OfRequest(requests[0], now))
        {
            AppendCell(html, "th", field.Name);
        }

        html.Append("</tr>\n");
        foreach (RequestSnapshot request in requests)
        {
            html.Append("<tr>");
            foreach (StatusField field in StatusField.OfRequest(request, now))
            {
                AppendCell(html, "td", field.ForPeople());
            }

            html.Append("</tr>\n");
        }

        html.Append("</table>\n");
    }

    private static void AppendCell(StringBuilder html, string element, string value) =>
        html.Append('<').Append(element).Append('>').Append(WebUtility.HtmlEncode(value))
            .Append("</").Append(element).Append('>');

    /// <summary>An XML element for each field, spaces in its name as dashes.</summary>
    public static string AsXml(StatusSnapshot status)
    {
        var xml = new StringBuilder("<?xml version=\"1.0\" ?>\n<status>\n");
        AppendElements(xml, StatusField.OfServer(status), end: "\n");
        if (status.Requests is { } requests)
        {
            xml.Append("<processes>\n");
            foreach (var request in requests)
            {
                xml.Append("<process>");
                AppendElements(xml, StatusField.OfRequest(request, status.Now), end: "");
                xml.Append("</process>\n");
            }

            xml.Append("</processes>\n");
        }

        return xml.Append("</status>\n").ToString();
    }

    private static void AppendElements(StringBuilder xml, IEnumerable<StatusField> fields, string end)
    {
        foreach (StatusField field in fields)
        {
            string value = WebUtility.HtmlEncode(field.ForMachines() ?? "-");
            xml.Append('<').Append(field.ElementName).Append('>').Append(value)
                .Append("</").Append(field.ElementName).Append('>').Append(end);
        }
    }

    /// <summary>One JSON object; the running requests are the array <c>processes</c>.</summary>
    public static byte[] AsJson(StatusSnapshot status)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(bytes);
        json.WriteStartObject();
        WriteFields(json, StatusField.OfServer(status));
        if (status.Requests is { } requests)
        {
            json.WriteStartArray("processes");
            foreach (var request in requests)
            {
                json.WriteStartObject();
                WriteFields(json, StatusField.OfRequest(request, status.Now));
                json.WriteEndObject();
            }

            json.WriteEndArray();
        }

        json.WriteEndObject();
        json.Flush();
        return bytes.WrittenSpan.ToArray();
    }

    private static void WriteFields(Utf8JsonWriter json, IEnumerable<StatusField> fields)
    {
        foreach (StatusField field in fields)
        {
            if (field.Text is { } text)
            {
                json.WriteString(field.Name, text);
            }
            else if (field.ForMachines() is { } number)
            {
                json.WritePropertyName(field.Name);
                json.WriteRawValue(number);
            }
            else
            {
                json.WriteNull(field.Name);
            }
        }
    }

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

/// <summary>One field of the status page, for every format.</summary>
/// <param name="Name">PHP-FPM's name in JSON and HTML.</param>
/// <param name="Number">The value as a number; null for a text, and for a number that is unknown.</param>
/// <param name="Text">The value as a text; null: the number.</param>
internal readonly record struct StatusField(string Name, double? Number, string? Text = null)
{
    /// <summary>The name in the text format, where it differs.</summary>
    public string? NameInText { get; init; }

    /// <summary>The value is a date in the formats for people, and a number in the others.</summary>
    public bool IsDate { get; init; }

    /// <summary>Decimal places.</summary>
    public int Decimals { get; init; }

    /// <summary>The name as an XML element.</summary>
    public string ElementName => Name.Replace(' ', '-');

    /// <summary>The fields of PHP-FPM's status page in its order, filled from our figures.</summary>
    public static IEnumerable<StatusField> OfServer(StatusSnapshot status)
    {
        ListenQueueFigures? queue = status.Queue;
        return
        [
            new("pool", null, status.Pool),
            new("process manager", null, status.ProcessManager),
            Date("start time", status.Started),
            new("start since", Math.Floor(status.Age.TotalSeconds)),
            new("accepted conn", status.Accepted),
            new("listen queue", queue?.Waiting),
            new("max listen queue", queue?.Most),
            new("listen queue len", queue?.Length),
            new("idle processes", status.Idle),
            new("active processes", status.Active),
            new("total processes", status.Idle + status.Active),
            new("max active processes", status.MostActive),
            new("max children reached", status.LimitReached),
            new("slow requests", status.Slow),
        ];
    }

    public static IEnumerable<StatusField> OfRequest(RequestSnapshot request, DateTimeOffset now) =>
    [
        new("pid", Environment.ProcessId),
        new("state", null, request.State),
        Date("start time", now - request.Begun),
        new("start since", Math.Floor(request.Begun.TotalSeconds)),
        new("requests", request.Requests),
        new("request duration", Math.Floor(request.Begun.TotalMicroseconds)),
        new("request method", null, request.Method ?? "-"),
        new("request uri", null, request.Target ?? "-") { NameInText = "request URI" },
        new("content length", request.ContentLength),
        new("user", null, request.User ?? "-"),
        new("script", null, request.Script ?? "-"),
        new("last request cpu", 0) { Decimals = 2 },
        new("last request memory", 0),
    ];

    /// <summary>The value for a person: a date in words, and a dash for what is unknown.</summary>
    public string ForPeople() =>
        IsDate && Number is { } seconds
            ? DateTimeOffset.FromUnixTimeSeconds((long)seconds)
                .ToString("dd'/'MMM'/'yyyy':'HH':'mm':'ss '+0000'", CultureInfo.InvariantCulture)
            : ForMachines() ?? "-";

    /// <summary>The value for a program; null for what is unknown.</summary>
    public string? ForMachines() =>
        Text ?? Number?.ToString(Decimals == 0 ? "F0" : "F2", CultureInfo.InvariantCulture);

    private static StatusField Date(string name, DateTimeOffset date) =>
        new(name, date.ToUnixTimeSeconds()) { IsDate = true };
}
