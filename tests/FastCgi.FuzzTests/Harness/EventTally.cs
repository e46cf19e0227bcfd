using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Globalization;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.FuzzTests.Harness;

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
