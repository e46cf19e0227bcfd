using System.Diagnostics;
using System.Diagnostics.Metrics;
using FastCgi.Client.Tests.Harness;

namespace FastCgi.Client.Tests.Diagnostics;

/// <summary>What tools for HTTP clients see of these requests.</summary>
public sealed class TelemetryTests
{
    [Fact]
    public async Task Requests_and_connections_are_measured_by_the_names_of_HTTP()
    {
        using var factory = new OwnMeterFactory();
        var measured = new List<(string Name, double Value, Dictionary<string, object?> Tags)>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (factory.Owns(instrument.Meter))
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Keep(instrument.Name, value, tags));
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Keep(instrument.Name, value, tags));
        listener.Start();
        using var application = new ScriptedApplication(options => options.MeterFactory = factory);
        await ServeAsync(application, "Status: 500 Broken\n\n");

        var duration = Assert.Single(measured, static m => m.Name == "http.client.request.duration");
        Assert.Equal("GET", duration.Tags["http.request.method"]);
        Assert.Equal("http", duration.Tags["url.scheme"]);
        Assert.Equal("localhost", duration.Tags["server.address"]);
        Assert.Equal(80, duration.Tags["server.port"]);
        Assert.Equal(500, duration.Tags["http.response.status_code"]);
        Assert.Equal("500", duration.Tags["error.type"]);
        Assert.Equal("fastcgi", duration.Tags["network.protocol.name"]);
        Assert.Equal([1d, -1d], measured.Where(static m => m.Name == "http.client.active_requests").Select(static m => m.Value));
        Assert.Equal(
            [(1d, "active"), (-1d, "active"), (1d, "idle")],
            measured.Where(static m => m.Name == "http.client.open_connections")
                .Select(static m => (m.Value, (string)m.Tags["http.connection.state"]!)));

        void Keep(string name, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
            measured.Add((name, value, new(tags.ToArray())));
    }

    [Fact]
    public async Task A_request_is_a_span_and_carries_its_context()
    {
        Activity? seen = null;
        using var parent = new Activity("test").SetIdFormat(ActivityIdFormat.W3C).Start();
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "System.Net.Http",
            // Not those of the tests beside it, whose applications would see a header more.
            Sample = (ref ActivityCreationOptions<ActivityContext> options) =>
                options.TraceId == parent.TraceId ? ActivitySamplingResult.AllData : ActivitySamplingResult.None,
            ActivityStopped = activity => seen = activity.TraceId == parent.TraceId ? activity : seen,
        };
        ActivitySource.AddActivityListener(listener);
        using var application = new ScriptedApplication();
        var request = await ServeAsync(application, "Status: 404\n\n");

        Assert.NotNull(seen);
        Assert.Equal("System.Net.Http.HttpRequestOut", seen.OperationName);
        Assert.Equal(ActivityKind.Client, seen.Kind);
        Assert.Equal("http://localhost/", seen.GetTagItem("url.full"));
        Assert.Equal(404, seen.GetTagItem("http.response.status_code"));
        Assert.Equal(ActivityStatusCode.Error, seen.Status);
        Assert.Equal(seen.Id, request["HTTP_TRACEPARENT"]);
    }

    [Fact]
    public async Task A_trace_without_listeners_is_carried_on()
    {
        using var parent = new Activity("test").SetIdFormat(ActivityIdFormat.W3C).Start();
        using var application = new ScriptedApplication();
        var request = await ServeAsync(application, "A: b\n\n");
        Assert.StartsWith($"00-{parent.TraceId}-", request["HTTP_TRACEPARENT"], StringComparison.Ordinal);
    }

    private static async Task<ReceivedRequest> ServeAsync(ScriptedApplication application, string answer)
    {
        Task<HttpResponseMessage> sending = application.SendAsync();
        var connection = await application.AcceptAsync();
        var request = await connection.ExpectRequestAsync();
        await connection.RespondAsync(answer);
        using var response = await sending.Within("a response");
        await response.Content.ReadAsByteArrayAsync().Within("the body");
        return request;
    }

    private sealed class OwnMeterFactory : IMeterFactory
    {
        private readonly List<Meter> _meters = [];

        public bool Owns(Meter meter) => _meters.Contains(meter);

        public Meter Create(MeterOptions options)
        {
            var meter = new Meter(options);
            _meters.Add(meter);
            return meter;
        }

        public void Dispose() => _meters.ForEach(static meter => meter.Dispose());
    }
}
