using System.Text.Json;

namespace FastCgi.FunctionalTests.Status;

/// <summary>The status page and the ping on the endpoints of the application.</summary>
public sealed class StatusPageTests : FunctionalTest
{
    /// <summary>REMOTE_ADDR of the scripted peer.</summary>
    private const string Client = "192.0.2.7";

    [Fact]
    public async Task Nothing_is_answered_unless_a_path_is_set()
    {
        var peer = await StartAndConnectAsync(Write("application"));

        foreach (var path in new[] { "/status", "/ping", "/" })
        {
            Assert.Equal("application", (await peer.RoundTripAsync(Get(path))).BodyText);
        }
    }

    [Fact]
    public async Task An_allowed_client_reads_the_status()
    {
        var peer = await StartAndConnectAsync(Write("application"), Allow(Client + "/32"));
        Assert.Equal("application", (await peer.RoundTripAsync(Get("/other"))).BodyText);

        var response = await peer.RoundTripAsync(Get("/status"));

        Assert.Equal(200, response.StatusCode);
        Assert.Equal("text/plain;charset=UTF-8", response.Header("Content-Type"));
        Assert.Equal("no-cache, no-store, must-revalidate, max-age=0", response.Header("Cache-Control"));
        Assert.Matches("(?m)^accepted conn:        2$", response.BodyText);
        Assert.Matches("(?m)^active processes:     1$", response.BodyText);
        await AssertServesAsync(peer);
    }

    [Fact]
    public async Task The_time_since_the_start_does_not_follow_the_time_of_day()
    {
        var started = Clock.GetUtcNow().ToUnixTimeSeconds();
        var peer = await StartAndConnectAsync(Write("application"), Allow(Client + "/32"), Clock);
        Clock.Advance(TimeSpan.FromSeconds(23));
        Clock.SetWallClock(Clock.GetUtcNow().AddHours(-1));

        using var json = JsonDocument.Parse((await peer.RoundTripAsync(Get("/status?json"))).BodyText);

        Assert.Equal(23, json.RootElement.GetProperty("start since").GetInt64());
        Assert.Equal(started, json.RootElement.GetProperty("start time").GetInt64());
        var metrics = (await peer.RoundTripAsync(Get("/status?openmetrics"))).BodyText;
        Assert.Matches("(?m)^[a-z_]*start_since 23$", metrics);
    }

    [Theory]
    [InlineData("192.0.2.8/32")]
    [InlineData("10.0.0.0/8")]
    public async Task Another_client_is_refused(string allowed)
    {
        var response = await RespondAsync(Write("application"), Get("/status?json&full"), Allow(allowed));

        Assert.Equal(403, response.StatusCode);
        Assert.Equal("Access denied.\n", response.BodyText);
    }

    [Fact]
    public async Task Nobody_is_allowed_by_default_and_a_warning_says_so()
    {
        var response = await RespondAsync(Write("application"), Get("/status"), Allow());

        Assert.Equal(403, response.StatusCode);
        Assert.Contains(Logs.Entries, static entry => entry.Level == LogLevel.Warning
            && entry.Message.StartsWith("No client may read the status page /status.", StringComparison.Ordinal));
    }

    [Fact]
    public Task Every_client_may_ping() => AssertRespondsAsync(
        (200, "4", "pong"), Write("application"), Get("/ping"), static options => options.Status.PingPath = "/ping");

    [Fact]
    public async Task The_path_is_the_decoded_one_below_the_path_base()
    {
        var peer = await StartAndConnectAsync(
            Write("application"),
            static options =>
            {
                options.PathBase = "/shop";
                options.Status.PingPath = "/ping";
            });

        Assert.Equal("pong", (await peer.RoundTripAsync(Get("/shop/p%69ng?x"))).BodyText);
        Assert.Equal("application", (await peer.RoundTripAsync(Get("/shop/ping/"))).BodyText);
        Assert.Equal("application", (await peer.RoundTripAsync(Get("/shop/pinG"))).BodyText);
    }

    [Fact]
    public Task Head_has_the_length_and_no_body() => AssertRespondsAsync(
        (200, "4", ""), Write("application"), Head("/ping"), static options => options.Status.PingPath = "/ping");

    [Fact]
    public async Task Full_has_each_running_request()
    {
        await StartAsync(ServeAsync, Allow(Client + "/32"));
        var busy = await ConnectAsync();
        await EnterAsync(
            busy, Post("four", "/slow?q=%22<a>") with
        {
            ExtraParams = [("REMOTE_USER", "ann"), ("SCRIPT_FILENAME", "/srv/app\n.dll")],
        });
        var peer = await ConnectAsync();

        var response = await peer.RoundTripAsync(Get("/status?json&full"));

        using var status = JsonDocument.Parse(response.Body);
        Assert.Equal(2, status.RootElement.GetProperty("active processes").GetInt32());
        var requests = status.RootElement.GetProperty("processes").EnumerateArray().ToList();
        Assert.Equal(2, requests.Count);
        var slow = requests.Single(static request => Text(request, "request uri").StartsWith("/slow", StringComparison.Ordinal));
        Assert.Equal(
            ("Running", "POST", "/slow?q=%22<a>", "ann", "/srv/app\\x0A.dll"),
            (Text(slow, "state"), Text(slow, "request method"), Text(slow, "request uri"), Text(slow, "user"),
                Text(slow, "script")));
        Assert.Equal(4, slow.GetProperty("content length").GetInt32());
        Assert.True(slow.GetProperty("request duration").GetInt64() > 0);
        GoOn.Reach();
        Assert.Equal(200, (await busy.ExpectResponseAsync()).StatusCode);
    }

    [Fact]
    public async Task A_request_whose_client_left_is_shown_until_its_handler_returns()
    {
        await StartAsync(ServeAsync, Allow(Client + "/32"));
        var busy = await ConnectAsync();
        await EnterAsync(busy, Get("/slow"));
        await busy.SendAsync(new RecordBuilder().Abort(1));
        await busy.ExpectResponseAsync();
        var peer = await ConnectAsync();

        var during = (await peer.RoundTripAsync(Get("/status?full"))).BodyText;
        GoOn.Reach();

        Assert.Matches("(?s)state: +Ending.*request URI: +/slow\n", during);
        var after = during;
        while (after.Contains("/slow", StringComparison.Ordinal)
            || !after.Contains("active processes:     1\n", StringComparison.Ordinal))
        {
            after = (await peer.RoundTripAsync(Get("/status?full"))).BodyText;
        }
    }

    [Fact]
    public async Task The_pages_are_answered_when_all_places_are_taken()
    {
        await StartAsync(ServeAsync, options =>
        {
            Allow(Client + "/32")(options);
            options.Status.PingPath = "/ping";
            options.Limits.MaxConcurrentRequests = 1;
        });
        var busy = await ConnectAsync();
        await EnterAsync(busy, Get("/slow"));
        var peer = await ConnectAsync();

        Assert.Equal("pong", (await peer.RoundTripAsync(Get("/ping"))).BodyText);
        var refused = await peer.RoundTripAsync(Get("/slow"));
        Assert.Equal((503, 2), (refused.StatusCode, refused.ProtocolStatus));
        var status = (await peer.RoundTripAsync(Get("/status"))).BodyText;
        Assert.Matches("(?m)^max children reached: 3$", status);
        GoOn.Reach();
        Assert.Equal(200, (await busy.ExpectResponseAsync()).StatusCode);
        Assert.Equal("served", (await peer.RoundTripAsync(Get("/slow"))).BodyText);
    }

    [Fact]
    public async Task A_route_of_the_same_path_is_warned_of()
    {
        await StartAsync(
            Write("application"),
            Allow(Client + "/32"),
            configure: static builder =>
            {
                builder.Services.AddRoutingCore();
                builder.Services.AddSingleton<Microsoft.AspNetCore.Routing.EndpointDataSource>(
                    new Microsoft.AspNetCore.Routing.DefaultEndpointDataSource(
                        new Microsoft.AspNetCore.Routing.RouteEndpointBuilder(
                            static _ => Task.CompletedTask,
                            Microsoft.AspNetCore.Routing.Patterns.RoutePatternFactory.Parse("Status"),
                            order: 0).Build()));
            });

        Assert.Contains(Logs.Entries, static entry => entry.Level == LogLevel.Warning
            && entry.Message.StartsWith("The application has a route '/status'", StringComparison.Ordinal));
    }

    private static Action<FastCgiServerOptions> Allow(params string[] clients) => options =>
    {
        options.Status.Path = "/status";
        foreach (var client in clients)
        {
            options.Status.AllowedClients.Add(IPNetwork.Parse(client));
        }
    };

    private static string Text(JsonElement request, string name) => request.GetProperty(name).GetString()!;

    private async Task ServeAsync(HttpContext context)
    {
        await WaitAsync(context);
        await context.Response.WriteAsync("served");
    }
}
