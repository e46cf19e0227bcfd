using System.Diagnostics.Tracing;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Tests.Hosting;

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
        await using var server = new ServerUnderTest();
        await server.StartAsync();
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

    private sealed class Listener : EventListener
    {
        private readonly Lock _lock = new();
        private readonly List<EventWrittenEventArgs> _events = [];
        private readonly List<(Predicate<EventWrittenEventArgs> IsWanted, TaskCompletionSource<EventWrittenEventArgs> Found)>
            _waiting = [];

        public Listener() => EnableEvents(FastCgiEventSource.Log, EventLevel.Informational);

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
                _waiting.RemoveAll(waiter => waiter.IsWanted(eventData) && waiter.Found.TrySetResult(eventData));
            }
        }
    }
}
