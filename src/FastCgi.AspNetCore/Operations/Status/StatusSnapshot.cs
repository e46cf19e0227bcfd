using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Operations.Status;

/// <summary>The figures of the status page at one moment, with the fields of PHP-FPM that they fill.</summary>
/// <param name="Pool">pool: the name of the application.</param>
/// <param name="ProcessManager">process manager: <c>static</c>, <c>dynamic</c> or <c>ondemand</c>.</param>
/// <param name="Now">When the figures were taken.</param>
/// <param name="Started">start time: when the server started, by the clock of that time.</param>
/// <param name="Age">start since: measured, so that no change of the clock counts.</param>
internal sealed record StatusSnapshot(
    string Pool, string ProcessManager, DateTimeOffset Now, DateTimeOffset Started, TimeSpan Age)
{
    /// <summary>accepted conn: requests since the start.</summary>
    public long Accepted { get; init; }

    /// <summary>listen queue, max listen queue, listen queue len; null where the system does not tell.</summary>
    public ListenQueueFigures? Queue { get; init; }

    /// <summary>active processes: requests that run.</summary>
    public long Active { get; init; }

    /// <summary>idle processes: further requests that have a place or a thread.</summary>
    public long Idle { get; init; }

    /// <summary>max active processes.</summary>
    public long MostActive { get; init; }

    /// <summary>max children reached: how often MaxConcurrentRequests was.</summary>
    public long LimitReached { get; init; }

    /// <summary>slow requests.</summary>
    public long Slow { get; init; }

    /// <summary>processes: the running requests; null unless they were asked for.</summary>
    public IReadOnlyList<RequestSnapshot>? Requests { get; init; }
}

/// <summary>Connections that wait to be accepted: now, at most so far, and how many can wait.</summary>
internal readonly record struct ListenQueueFigures(long Waiting, long Most, long Length);
