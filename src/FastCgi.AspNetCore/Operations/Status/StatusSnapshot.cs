using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Operations.Status;

/// <summary>The figures of the status page at one moment, with their PHP-FPM fields.</summary>
/// <param name="Pool">pool: the name of the application.</param>
/// <param name="ProcessManager">process manager: <c>static</c>, <c>dynamic</c> or <c>ondemand</c>.</param>
/// <param name="Now">The time of the snapshot.</param>
/// <param name="Started">start time: the start of the server, by the clock at that time.</param>
/// <param name="Age">start since: measured, so it does not depend on clock changes.</param>
internal sealed record StatusSnapshot(
    string Pool, string ProcessManager, DateTimeOffset Now, DateTimeOffset Started, TimeSpan Age)
{
    /// <summary>accepted conn: requests since the start.</summary>
    public long Accepted { get; init; }

    /// <summary>listen queue, max listen queue, listen queue len; null if the system does not report them.</summary>
    public ListenQueueFigures? Queue { get; init; }

    /// <summary>active processes: running requests.</summary>
    public long Active { get; init; }

    /// <summary>idle processes: the number of further requests for which there is a place or a thread.</summary>
    public long Idle { get; init; }

    /// <summary>max active processes.</summary>
    public long MostActive { get; init; }

    /// <summary>max children reached: the number of times MaxConcurrentRequests was reached.</summary>
    public long LimitReached { get; init; }

    /// <summary>slow requests.</summary>
    public long Slow { get; init; }

    /// <summary>processes: the running requests; null if not asked for.</summary>
    public IReadOnlyList<RequestSnapshot>? Requests { get; init; }
}

/// <summary>Connections that wait to be accepted: the current number, the maximum so far, and the limit.</summary>
internal readonly record struct ListenQueueFigures(long Waiting, long Most, long Length);
