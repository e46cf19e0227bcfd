using System.Globalization;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Operations.Status;

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
