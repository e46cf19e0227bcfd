using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace FastCgi.Client.Tests.Diagnostics;

/// <summary>What tools for HTTP clients see of these requests.</summary>
public sealed class TelemetryTests
{
    [Fact]
    public async Task Requests_and_connections_are_measured_by_the_names_of_HTTP()
    {
        using var factory = new OwnMeterFactory();
        using var measured = new ClientMeasurements(factory);
        using var application = new ScriptedApplication(options => options.MeterFactory = factory);
        await ServeAsync(application, "Status: 500 Broken\n\n");

        var duration = Assert.Single(measured.Of("http.client.request.duration"));
        Assert.Equal("GET", duration.Tags["http.request.method"]);
        Assert.Equal("http", duration.Tags["url.scheme"]);
        Assert.Equal("localhost", duration.Tags["server.address"]);
        Assert.Equal(80, duration.Tags["server.port"]);
        Assert.Equal(500, duration.Tags["http.response.status_code"]);
        Assert.Equal("500", duration.Tags["error.type"]);
        Assert.Equal("fastcgi", duration.Tags["network.protocol.name"]);
        Assert.Equal([1d, -1d], measured.Of("http.client.active_requests").Select(static m => m.Value));
        Assert.Equal(
            [(1d, "active"), (-1d, "active"), (1d, "idle")],
            measured.Of("http.client.open_connections")
                .Select(static m => (m.Value, (string)m.Tags["http.connection.state"]!)));
    }

    [Theory]
    [InlineData("GET", "GET")]
    [InlineData("get", "GET")]
    [InlineData("pOst", "POST")]
    [InlineData("connect", "CONNECT")]
    [InlineData("g3t", "_OTHER")]
    public async Task A_method_is_counted_by_its_known_name(string method, string name)
    {
        using var factory = new OwnMeterFactory();
        var measured = new ClientMeasurements(factory);
        using var application = new ScriptedApplication(options => options.MeterFactory = factory);
        using var request = new HttpRequestMessage(new HttpMethod(method), "http://localhost/");
        (_, HttpResponseMessage response) = await application.ExchangeAsync(request);
        response.Dispose();
        measured.Dispose();
        Assert.Equal(
            [name, name, name],
            measured.All.Where(static m => m.Tags.ContainsKey("http.request.method"))
                .Select(static m => m.Tags["http.request.method"]));
    }

    [Fact]
    public async Task A_failure_is_counted_by_its_kind()
    {
        Assert.Equal("connection_error", await KindAsync(static () => throw new IOException("none")));
        Assert.Equal("response_ended", await KindAsync(null, static connection =>
        {
            connection.Close();
            return Task.CompletedTask;
        }));
        Assert.Equal("invalid_response", await KindAsync(null, static connection => connection.RespondAsync("no field\n\n")));
        Assert.Equal(
            "configuration_limit_exceeded",
            await KindAsync(null, static connection => connection.RespondAsync($"A: {new string('a', 70_000)}\n\n")));
        Assert.Equal(
            "System.Threading.Tasks.TaskCanceledException", await KindAsync(null, static _ => Task.CompletedTask, isCancelled: true));
        Assert.Equal("599", await KindAsync(null, static connection => connection.RespondAsync("Status: 599\n\n")));
        Assert.Null(await KindAsync(null, static connection => connection.RespondAsync("Status: 201\n\n")));
    }

    /// <summary>A view that is opened meanwhile would show one request fewer than none.</summary>
    [Fact]
    public async Task A_request_that_has_begun_before_its_counter_is_not_counted_down()
    {
        using var factory = new OwnMeterFactory();
        using var durations = new ClientMeasurements(factory, "http.client.request.duration");
        using var application = new ScriptedApplication(options => options.MeterFactory = factory);
        var (connection, sending) = await application.BeginAsync();
        using var active = new ClientMeasurements(factory, "http.client.active_requests");
        await connection.AnswerAsync(sending);
        Assert.Single(durations.All);
        Assert.Empty(active.All);
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
        (ReceivedRequest request, HttpResponseMessage response) = await application.ExchangeAsync(answer: answer);
        await response.Content.ReadAsByteArrayAsync().Within("the body");
        return request;
    }

    /// <summary>What <c>error.type</c> says of a request.</summary>
    private static async Task<object?> KindAsync(
        Func<Stream>? connect,
        Func<ApplicationConnection, Task>? respond = null,
        bool isCancelled = false)
    {
        using var factory = new OwnMeterFactory();
        using var durations = new ClientMeasurements(factory, "http.client.request.duration");
        using var source = new CancellationTokenSource();
        using var application = new ScriptedApplication(options =>
        {
            options.MeterFactory = factory;
            options.ConnectCallback =
                connect is null ? options.ConnectCallback : (_, _) => new(connect());
        });
        Task<HttpResponseMessage> sending = application.SendAsync(cancellationToken: source.Token);
        if (respond is not null)
        {
            var connection = await application.AcceptAsync();
            await connection.ExpectRequestAsync();
            await respond(connection);
        }

        if (isCancelled)
        {
            await source.CancelAsync();
        }

        await Task.WhenAny(sending).Within("the end");
        if (sending.IsCompletedSuccessfully)
        {
            (await sending).Dispose();
        }

        return Assert.Single(durations.All).Tags.GetValueOrDefault("error.type");
    }

    private sealed class OwnMeterFactory : IMeterFactory
    {
        private readonly List<Meter> _meters = [];

        public Meter Create(MeterOptions options)
        {
            var meter = new Meter(options);
            _meters.Add(meter);
            return meter;
        }

        public void Dispose() => _meters.ForEach(static meter => meter.Dispose());
    }
}
