using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Globalization;
using FastCgi.AspNetCore.Diagnostics;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.FuzzTests.Harness;

/// <summary>What the meters of one server, its own and that of hosting, say about connections and requests.</summary>
public sealed class ServerTally : IDisposable
{
    private readonly ConcurrentDictionary<(string Method, int Status), int> _requests = new();
    private readonly ConcurrentDictionary<string, int> _connectionErrors = new();
    private readonly MeterListener _listener;
    private long _accepted;
    private long _openConnections;
    private long _endedConnections;
    private long _rejectedConnections;
    private long _runningRequests;

    public ServerTally(FunctionalServer server)
    {
        var factory = server.Services.GetRequiredService<IMeterFactory>();
        _listener = new MeterListener
        {
            InstrumentPublished = (instrument, listening) =>
            {
                if (ReferenceEquals(instrument.Meter.Scope, factory)
                    && instrument.Meter.Name is "FastCgi.AspNetCore" or "Microsoft.AspNetCore.Hosting")
                {
                    listening.EnableMeasurementEvents(instrument);
                }
            },
        };
        _listener.SetMeasurementEventCallback<long>(OnCount);
        _listener.SetMeasurementEventCallback<double>(OnDuration);
        _listener.Start();
    }

    public long Accepted => Interlocked.Read(ref _accepted);

    public long OpenConnections => Interlocked.Read(ref _openConnections);

    public long EndedConnections => Interlocked.Read(ref _endedConnections);

    public long RejectedConnections => Interlocked.Read(ref _rejectedConnections);

    public long RunningRequests => Interlocked.Read(ref _runningRequests);

    /// <summary>The error.type of connections that did not end as they should, and how many had it.</summary>
    public IReadOnlyDictionary<string, int> ConnectionErrors => _connectionErrors;

    public int EndedRequests => _requests.Values.Sum();

    /// <summary>The requests of a method that have ended.</summary>
    public int Ended(Fate fate) => _requests.Where(of => of.Key.Method == fate.Method()).Sum(of => of.Value);

    public int Ended(Fate fate, int status) => _requests.GetValueOrDefault((fate.Method(), status));

    public void Dispose() => _listener.Dispose();

    private void OnCount(
        Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        switch (instrument.Name)
        {
            case "fastcgi.active_connections":
                Interlocked.Add(ref _openConnections, value);
                Interlocked.Add(ref _accepted, Math.Max(value, 0));
                break;
            case "fastcgi.rejected_connections":
                Interlocked.Add(ref _rejectedConnections, value);
                break;
            case "http.server.active_requests":
                Interlocked.Add(ref _runningRequests, value);
                break;
        }
    }

    private void OnDuration(
        Instrument instrument, double seconds, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        if (instrument.Name == "fastcgi.connection.duration")
        {
            Interlocked.Increment(ref _endedConnections);
            if (Tag(tags, "error.type") is string error)
            {
                _connectionErrors.AddOrUpdate(error, 1, static (_, count) => count + 1);
            }
        }
        else if (instrument.Name == "http.server.request.duration")
        {
            var key = ((string)Tag(tags, "http.request.method")!, (int)Tag(tags, "http.response.status_code")!);
            _requests.AddOrUpdate(key, 1, static (_, count) => count + 1);
        }
    }

    private static object? Tag(ReadOnlySpan<KeyValuePair<string, object?>> tags, string name)
    {
        foreach (var tag in tags)
        {
            if (tag.Key == name)
            {
                return tag.Value;
            }
        }

        return null;
    }
}

/// <summary>
/// What the event sources, the server's own and that of hosting, say about connections and requests: events one by one,
/// and the counters that they poll. They belong to the process, so a counter is read as its growth.
/// </summary>
public sealed class EventTally : EventListener
{
    private const string Server = "FastCgi-AspNetCore";
    private const string Hosting = "Microsoft.AspNetCore.Hosting";

    private static readonly string[] s_read =
    [
        "total-connections", "current-connections", "rejected-connections",
        "total-requests", "current-requests", "failed-requests",
    ];

    private static readonly Dictionary<string, string?> s_arguments = new() { ["EventCounterIntervalSec"] = "0.1" };

    private readonly ConcurrentDictionary<string, int> _events = new();
    private readonly ConcurrentDictionary<string, double> _counters = new();
    private readonly ConcurrentDictionary<string, int> _polls = new();
    private Dictionary<string, double> _before = [];

    private EventTally()
    {
    }

    public static async Task<EventTally> StartAsync()
    {
        // Without this it is made by the first connection.
        _ = FastCgiEventSource.Log;
        var tally = new EventTally();
        await tally.PollAsync();
        tally._before = new(tally._counters);
        return tally;
    }

    /// <summary>How often the server has written an event of this name.</summary>
    public int Events(string name) => _events.GetValueOrDefault(name);

    /// <summary>By how much a counter has grown since the start, as of the last <see cref="PollAsync"/>.</summary>
    public double Growth(string counter) => _counters[counter] - _before[counter];

    /// <summary>Until each counter has been polled anew, from after this call.</summary>
    public async Task PollAsync()
    {
        // Two, since the first may have begun before.
        var wanted = s_read.ToDictionary(counter => counter, counter => _polls.GetValueOrDefault(counter) + 2);
        await Eventually.HoldsAsync(
            () => wanted.All(poll => _polls.GetValueOrDefault(poll.Key) >= poll.Value),
            () => $"Polled were {string.Join(", ", _polls)}.",
            TimeSpan.FromSeconds(30));
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == Server)
        {
            EnableEvents(eventSource, EventLevel.Informational, EventKeywords.All, s_arguments);
        }
        else if (eventSource.Name == Hosting)
        {
            // Its counters alone, which are above all levels.
            EnableEvents(eventSource, EventLevel.Critical, EventKeywords.All, s_arguments);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        // The base constructor may call before the fields of this class are there.
        if (_polls is null || eventData.EventSource.Name is not (Server or Hosting))
        {
            return;
        }

        if (eventData.EventName != "EventCounters")
        {
            _events.AddOrUpdate(eventData.EventName!, 1, static (_, count) => count + 1);
        }
        else if (eventData.Payload is [IDictionary<string, object> poll] && poll.TryGetValue("Mean", out var value))
        {
            var counter = (string)poll["Name"];
            _counters[counter] = Convert.ToDouble(value, CultureInfo.InvariantCulture);
            _polls.AddOrUpdate(counter, 1, static (_, count) => count + 1);
        }
    }
}
