using System.Diagnostics.Tracing;

namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>
/// The event source <c>FastCgi-AspNetCore</c>, for dotnet-trace and dotnet-counters. Does not repeat hosting's request
/// counters. Without a listener, a request costs two tests of a field.
/// </summary>
[EventSource(Name = "FastCgi-AspNetCore")]
internal sealed class FastCgiEventSource : EventSource
{
    public static FastCgiEventSource Log { get; } = new();

    private long _totalConnections;
    private long _currentConnections;
    private long _rejectedConnections;
    private DiagnosticCounter[]? _counters;

    private FastCgiEventSource()
    {
    }

    [NonEvent]
    public void ConnectionAccepted()
    {
        Interlocked.Increment(ref _totalConnections);
        Interlocked.Increment(ref _currentConnections);
    }

    [NonEvent]
    public void ConnectionEnded() => Interlocked.Decrement(ref _currentConnections);

    [NonEvent]
    public void ConnectionRejected()
    {
        Interlocked.Increment(ref _rejectedConnections);
        ConnectionRejectedEvent();
    }

    [Event(1, Level = EventLevel.Informational)]
    public void ConnectionStart(string connectionId, string localEndPoint, string remoteEndPoint) =>
        WriteEvent(1, connectionId, localEndPoint, remoteEndPoint);

    [Event(2, Level = EventLevel.Informational)]
    public void ConnectionStop(string connectionId, string reason) => WriteEvent(2, connectionId, reason);

    [Event(3, Level = EventLevel.Informational)]
    public void RequestStart(string connectionId, string traceIdentifier, string path, string method) =>
        WriteEvent(3, connectionId, traceIdentifier, path, method);

    [Event(4, Level = EventLevel.Informational)]
    public void RequestStop(string connectionId, string traceIdentifier, string path, string method) =>
        WriteEvent(4, connectionId, traceIdentifier, path, method);

    [Event(5, Level = EventLevel.Informational, Message = "A connection was closed at once.")]
    private void ConnectionRejectedEvent() => WriteEvent(5);

    protected override void OnEventCommand(EventCommandEventArgs command)
    {
        if (command.Command != EventCommand.Enable)
        {
            return;
        }

        // Counters are created with the first listener: nothing polls them before.
        _counters ??=
        [
            new IncrementingPollingCounter("connections-per-second", this, () => Volatile.Read(ref _totalConnections))
            {
                DisplayName = "Connection Rate",
                DisplayRateTimeScale = TimeSpan.FromSeconds(1),
            },
            NewCounter("total-connections", "Total Connections", () => Volatile.Read(ref _totalConnections)),
            NewCounter("current-connections", "Current Connections", () => Volatile.Read(ref _currentConnections)),
            NewCounter("rejected-connections", "Rejected Connections", () => Volatile.Read(ref _rejectedConnections)),
        ];

        PollingCounter NewCounter(string name, string displayName, Func<double> value) =>
            new(name, this, value) { DisplayName = displayName };
    }
}
