using System.Diagnostics.Tracing;

namespace FastCgi.AspNetCore.Tests.Diagnostics;

public class FastCgiEventSourceTests
{
    [Fact]
    public void The_manifest_is_valid() =>
        Assert.Contains("FastCgi-AspNetCore", EventSource.GenerateManifest(
            typeof(FastCgiEventSource), null, EventManifestOptions.Strict)!, StringComparison.Ordinal);

    [Fact]
    public async Task Connections_and_requests_are_told_with_their_ids()
    {
        using var listener = new Listener();
        await using var server = await ServerUnderTest.StartNewAsync();
        var target = $"/{Guid.NewGuid():N}";
        await using (var peer = await server.ConnectAsync())
        {
            await peer.RoundTripAsync(new RequestScript { Target = target, KeepConnection = false });
            await peer.ExpectEndOfStreamAsync();
        }

        var start = await listener.WaitForAsync(e => e.EventName == "RequestStart" && e.Payload!.Contains(target));
        var stop = await listener.WaitForAsync(e => e.EventName == "RequestStop" && e.Payload!.Contains(target));
        Assert.Equal(["connectionId", "traceIdentifier", "path", "method"], start.PayloadNames!);
        Assert.Equal(start.Payload, stop.Payload);
        var id = start.Payload![0];
        await listener.WaitForAsync(e => e.EventName == "ConnectionStart" && Equals(e.Payload![0], id));
        var end = await listener.WaitForAsync(e => e.EventName == "ConnectionStop" && Equals(e.Payload![0], id));
        Assert.Equal(nameof(ConnectionEndReason.RequestsEnded), end.Payload![1]);
    }

    [Fact]
    public async Task Events_of_one_request_have_one_activity_and_those_of_the_next_another()
    {
        using var listener = new Listener();
        await using var server = await ServerUnderTest.StartNewAsync(handler: async context =>
        {
            await Task.Yield();
            await context.Response.WriteAsync("x");
        });
        string[] targets = [$"/{Guid.NewGuid():N}", $"/{Guid.NewGuid():N}"];
        await using (var peer = await server.ConnectAsync())
        {
            await peer.RoundTripAsync(new RequestScript { Target = targets[0] });
            await peer.RoundTripAsync(new RequestScript { Target = targets[1] });
        }

        var activities = new List<Guid>();
        foreach (var target in targets)
        {
            var start = await listener.WaitForAsync(e => e.EventName == "RequestStart" && e.Payload!.Contains(target));
            var stop = await listener.WaitForAsync(e => e.EventName == "RequestStop" && e.Payload!.Contains(target));
            Assert.NotEqual(Guid.Empty, listener.ActivityOf(start));
            Assert.Equal(listener.ActivityOf(start), listener.ActivityOf(stop));
            activities.Add(listener.ActivityOf(start));
        }

        Assert.NotEqual(activities[0], activities[1]);
    }

    [Fact]
    public async Task A_connection_that_is_one_too_many_is_told()
    {
        using var listener = new Listener();
        await using var server = await ServerUnderTest.StartNewAsync(static options =>
        {
            options.Limits.MaxConcurrentConnections = 1;
            options.Listen(IPAddress.Loopback, 0);
        });
        await using var first = await server.ConnectAsync();
        await first.RoundTripAsync(new RequestScript());

        await using var second = await server.ConnectAsync();
        await second.ExpectClosedAsync();

        await listener.WaitForAsync(static e => e.EventId == 5);
    }

    private sealed class Listener : EventListener
    {
        private readonly Lock _lock = new();
        private readonly List<EventWrittenEventArgs> _events = [];
        private readonly Dictionary<EventWrittenEventArgs, Guid> _activities = [];
        private readonly List<(Predicate<EventWrittenEventArgs> IsWanted, TaskCompletionSource<EventWrittenEventArgs> Found)>
            _waiting = [];

        public Listener() => EnableEvents(FastCgiEventSource.Log, EventLevel.Informational);

        /// <summary>Of the thread that wrote it. An event that has none gives that of whoever asks for it later.</summary>
        public Guid ActivityOf(EventWrittenEventArgs told)
        {
            lock (_lock)
            {
                return _activities[told];
            }
        }

        public Task<EventWrittenEventArgs> WaitForAsync(Predicate<EventWrittenEventArgs> isWanted)
        {
            lock (_lock)
            {
                if (_events.Find(isWanted) is { } known)
                {
                    return Task.FromResult(known);
                }

                var found = new TaskCompletionSource<EventWrittenEventArgs>(TaskCreationOptions.RunContinuationsAsynchronously);
                _waiting.Add((isWanted, found));
                return found.Task.Within("an event");
            }
        }

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "System.Threading.Tasks.TplEventSource")
            {
                // TasksFlowActivityIds, without which events have no activity.
                EnableEvents(eventSource, EventLevel.Informational, (EventKeywords)0x80);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            // The base constructor may call before the fields of this class are there.
            if (_lock is null || eventData.EventSource != FastCgiEventSource.Log)
            {
                return;
            }

            lock (_lock)
            {
                _events.Add(eventData);
                _activities.Add(eventData, eventData.ActivityId);
                _waiting.RemoveAll(waiter => waiter.IsWanted(eventData) && waiter.Found.TrySetResult(eventData));
            }
        }
    }
}
