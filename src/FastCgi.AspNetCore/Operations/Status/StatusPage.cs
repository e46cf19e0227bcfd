using System.Text.Json.Nodes;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Operations.Status;

/// <summary>The status page in the format of the query.</summary>
/// <param name="take">Takes the figures; with true, also all running requests.</param>
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
            : Asks(query, "json") ? Page("application/json", AsJson(status))
            : Asks(query, "openmetrics") ? Page(
                "application/openmetrics-text; version=1.0.0; charset=utf-8", AsMetrics(status))
            : ServerAnswer.Text(200, AsText(status));
    }

    private static ServerAnswer Page(string contentType, string body) =>
        new(200, contentType, Encoding.UTF8.GetBytes(body));

    /// <summary>True if the query has the key, with or without a value.</summary>
    private static bool Asks(string query, string key) =>
        query.TrimStart('?').Split('&').Any(pair => pair.Split('=')[0] == key);

    /// <summary>One field per line, and a line of stars before each request.</summary>
    public static string AsText(StatusSnapshot status)
    {
        return string.Join(
            "\n************************\n",
            [
                Lines(StatusField.OfServer(status)),
                .. from request in status.Requests ?? [] select Lines(StatusField.OfRequest(request, status.Now)),
            ]);

        static string Lines(IEnumerable<StatusField> fields) => string.Concat(fields.Select(static field =>
            $"{field.NameInText ?? field.Name}:".PadRight(ValueColumn) + field.ForPeople() + '\n'));
    }

    /// <summary>For a browser: a table of the figures, and a table of the running requests.</summary>
    public static string AsHtml(StatusSnapshot status)
    {
        StatusField[][] requests =
            [.. from request in status.Requests ?? [] select StatusField.OfRequest(request, status.Now).ToArray()];
        string figures = string.Concat(StatusField.OfServer(status).Select(static field =>
            Row(Cell("th", field.Name) + Cell("td", field.ForPeople()))));
        string running = requests.Length == 0
            ? ""
            : $"<table border=\"1\">\n{Row(Cells("th", requests[0], static field => field.Name))}"
                + string.Concat(requests.Select(static request =>
                    Row(Cells("td", request, static field => field.ForPeople())))) + "</table>\n";
        return $"{HtmlHead}<table>\n{figures}</table>\n{running}</body></html>\n";

        static string Row(string cells) => $"<tr>{cells}</tr>\n";

        static string Cells(string element, StatusField[] fields, Func<StatusField, string> value) =>
            string.Concat(fields.Select(field => Cell(element, value(field))));

        static string Cell(string element, string value) => $"<{element}>{WebUtility.HtmlEncode(value)}</{element}>";
    }

    /// <summary>One XML element per field. Spaces in names become dashes.</summary>
    public static string AsXml(StatusSnapshot status)
    {
        IEnumerable<string>? requests = status.Requests?.Select(request =>
            $"<process>{Elements(StatusField.OfRequest(request, status.Now), end: "")}</process>\n");
        return "<?xml version=\"1.0\" ?>\n<status>\n" + Elements(StatusField.OfServer(status), end: "\n")
            + (requests is null ? "" : $"<processes>\n{string.Concat(requests)}</processes>\n") + "</status>\n";

        static string Elements(IEnumerable<StatusField> fields, string end) => string.Concat(fields.Select(field =>
            $"<{field.ElementName}>{WebUtility.HtmlEncode(field.ForMachines() ?? "-")}</{field.ElementName}>{end}"));
    }

    /// <summary>One JSON object. The running requests are the array <c>processes</c>.</summary>
    public static string AsJson(StatusSnapshot status)
    {
        JsonObject page = Fields(StatusField.OfServer(status));
        if (status.Requests is { } requests)
        {
            page["processes"] = new JsonArray(
                [.. from request in requests select Fields(StatusField.OfRequest(request, status.Now))]);
        }

        return page.ToJsonString();

        static JsonObject Fields(IEnumerable<StatusField> fields) => new(fields.Select(static field =>
            KeyValuePair.Create(field.Name, field.Text is { } text ? text : Number(field.ForMachines()))));

        static JsonNode? Number(string? digits) => digits is null ? null : JsonNode.Parse(digits);
    }

    /// <summary>
    /// The OpenMetrics text format, with PHP-FPM's metric names and types, so that dashboards for PHP-FPM work. Unknown
    /// figures are left out.
    /// </summary>
    public static string AsMetrics(StatusSnapshot status)
    {
        const string Gauge = "gauge";
        const string Counter = "counter";
        (string Name, string Type, string Help, long? Value)[] metrics =
        [
            ("up", Gauge, "Whether the server answers.", 1),
            ("start_since", Counter, "Seconds since the server started.", (long)status.Age.TotalSeconds),
            ("accepted_connections", Counter, "Requests since the start.", status.Accepted),
            ("listen_queue", Gauge, "Connections that wait to be accepted.", status.Queue?.Waiting),
            ("max_listen_queue", Counter, "The most connections that waited since the start.", status.Queue?.Most),
            ("listen_queue_length", Gauge, "Connections that can wait.", status.Queue?.Length),
            ("idle_processes", Gauge, "Requests for which there is a place or a thread.", status.Idle),
            ("active_processes", Gauge, "Requests that run.", status.Active),
            ("total_processes", Gauge, "Idle and active together.", status.Idle + status.Active),
            ("max_active_processes", Counter, "The most requests that ran at a time since the start.",
                status.MostActive),
            ("max_children_reached", Counter, "How often MaxConcurrentRequests was reached.", status.LimitReached),
            ("slow_requests", Counter, "Requests that ran longer than SlowRequestAfter.", status.Slow),
        ];
        return string.Concat(
            from metric in metrics
            where metric.Value is not null
            select string.Create(
                CultureInfo.InvariantCulture,
                $"# HELP phpfpm_{metric.Name} {metric.Help}\n# TYPE phpfpm_{metric.Name} {metric.Type}\n" +
                $"phpfpm_{metric.Name} {metric.Value}\n")) + "# EOF\n";
    }
}

/// <summary>One field of the status page, for every format.</summary>
/// <param name="Name">PHP-FPM's name in JSON and HTML.</param>
/// <param name="Number">The value as a number; null for a text, and for an unknown number.</param>
/// <param name="Text">The value as a text; null for a number.</param>
internal readonly record struct StatusField(string Name, double? Number, string? Text = null)
{
    /// <summary>The name in the text format, if different.</summary>
    public string? NameInText { get; init; }

    /// <summary>True if the value is a date in the formats for people, and a number in the others.</summary>
    public bool IsDate { get; init; }

    public int Decimals { get; init; }

    public string ElementName => Name.Replace(' ', '-');

    /// <summary>The fields of PHP-FPM's status page, in its order, with our figures.</summary>
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

    /// <summary>The value for a person: dates in words, and a dash if unknown.</summary>
    public string ForPeople() =>
        IsDate && Number is { } seconds
            ? DateTimeOffset.FromUnixTimeSeconds((long)seconds)
                .ToString("dd'/'MMM'/'yyyy':'HH':'mm':'ss '+0000'", CultureInfo.InvariantCulture)
            : ForMachines() ?? "-";

    /// <summary>The value for a program; null if unknown.</summary>
    public string? ForMachines() =>
        Text ?? Number?.ToString(Decimals == 0 ? "F0" : "F2", CultureInfo.InvariantCulture);

    private static StatusField Date(string name, DateTimeOffset date) =>
        new(name, date.ToUnixTimeSeconds()) { IsDate = true };
}
