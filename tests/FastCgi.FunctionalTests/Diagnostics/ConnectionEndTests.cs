namespace FastCgi.FunctionalTests.Diagnostics;

/// <summary>
/// The error.type of a connection's duration. A request that was refused, or failed before its response, is no failure
/// of its connection, which carries others.
/// </summary>
public sealed class ConnectionEndTests : FunctionalTest
{
    private Measurements? _durations;

    public override async ValueTask DisposeAsync()
    {
        GoOn.Reach();
        await base.DisposeAsync();
        _durations?.Dispose();
        GC.SuppressFinalize(this);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_peer_that_leaves_between_requests_is_none(ServerTransport transport)
    {
        var peer = await StartMeasuredAsync(transport, Write("x"));
        await AssertServesAsync(peer);

        await peer.DisposeAsync();

        Assert.Null(await EndAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_client_that_ends_its_upgraded_connection_is_none(ServerTransport transport)
    {
        var peer = await StartMeasuredAsync(
            transport,
            static async context =>
            {
                context.Response.Headers.Upgrade = "mine";
                var stream = await context.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync();
                await stream.CopyToAsync(Stream.Null);
            },
            static options => options.ConfigureEndpointDefaults(static endpoint => endpoint.AllowUpgrade = true));
        var upgrade = Get() with
        {
            Headers = [("Connection", "upgrade"), ("Upgrade", "mine")], ExtraParams = [("CONTENT_LENGTH", "0")],
        };
        await peer.SendAsync(Begin(upgrade));
        await peer.ExpectResponseStartAsync();

        await peer.DisposeAsync();

        Assert.Null(await EndAsync());
    }

    [Fact]
    public async Task Refused_and_failed_requests_are_none()
    {
        var peer = await StartMeasuredAsync(static _ => throw new InvalidOperationException("on purpose"));
        Logs.ExpectError(ApplicationError);

        Assert.Equal(500, (await peer.RoundTripAsync(Get())).StatusCode);
        Assert.Equal(400, (await peer.RoundTripAsync(Get("/a%00b") with { KeepConnection = false })).StatusCode);

        await peer.ExpectEndOfStreamAsync();
        Assert.Null(await EndAsync());
    }

    [Fact]
    public async Task An_abort_before_the_start_is_aborted_by_app()
    {
        var peer = await StartMeasuredAsync(Run(context => context.Abort()));

        await peer.SendRequestAsync();
        await peer.ExpectClosedAsync();
        await peer.DisposeAsync();

        Assert.Equal("aborted_by_app", await EndAsync());
    }

    [Fact]
    public async Task A_failure_after_the_start_is_aborted_by_app()
    {
        var peer = await StartMeasuredAsync(async context =>
        {
            await context.Response.WriteAsync("begun");
            throw new InvalidOperationException("on purpose");
        });
        Logs.ExpectError(ApplicationError);

        await peer.SendRequestAsync();
        await peer.ExpectTornResponseAsync();
        await peer.DisposeAsync();

        Assert.Equal("aborted_by_app", await EndAsync());
    }

    [Fact]
    public async Task A_response_that_broke_off_by_RequestTimeout_is_request_timeout()
    {
        var peer = await StartMeasuredAsync(
            async context =>
            {
                await context.Response.WriteAsync("begun");
                await WaitAsync(context);
            },
            options => options.Limits.RequestTimeout = TimeSpan.FromSeconds(10));
        await EnterAsync(peer, Get());
        await peer.ExpectResponseStartAsync();

        Clock.Advance(TimeSpan.FromSeconds(20));
        await peer.ExpectTornResponseAsync();
        await peer.DisposeAsync();

        Assert.Equal("request_timeout", await EndAsync());
    }

    [Theory, InlineData(true, null), InlineData(false, "app_shutdown_timeout")]
    public async Task A_stop_that_does_not_wait_for_the_request_is_app_shutdown_timeout(bool waits, string? error)
    {
        var peer = await StartMeasuredAsync(WaitAsync);
        await EnterAsync(peer, Get());

        var stop = Server.StopAsync(new CancellationToken(canceled: !waits));
        if (waits)
        {
            GoOn.Reach();
            Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
        }

        Assert.Equal(error, await EndAsync());
        GoOn.Reach();
        await stop.Within("the stop");
    }

    [Fact]
    public async Task An_idle_connection_is_keep_alive_timeout()
    {
        var peer = await StartMeasuredAsync(
            Write("x"), options => options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(10));
        await AssertServesAsync(peer);

        Clock.Advance(TimeSpan.FromSeconds(12));

        await peer.ExpectEndOfStreamAsync();
        Assert.Equal("keep_alive_timeout", await EndAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_reset_while_a_handler_runs_is_connection_reset(ServerTransport transport)
    {
        var peer = await StartMeasuredAsync(transport, WaitAsync);
        await EnterAsync(peer, Get());

        peer.Reset();
        // On a unix socket the heartbeat looks whether both directions have ended.
        await Clock.PassUntilAsync(EndAsync());

        Assert.Equal("connection_reset", await EndAsync());
    }

    [Fact]
    public async Task Wrong_bytes_are_a_protocol_violation()
    {
        var peer = await StartMeasuredAsync(Write("x"));

        await peer.SendAsync(new byte[] { 9, 9, 9, 9, 9, 9, 9, 9 });

        Assert.Equal("protocol_violation", await EndAsync());
    }

    private async Task<string?> EndAsync() =>
        (await _durations!.TagsAsync()).FirstOrDefault(static tag => tag.Key == "error.type").Value as string;

    private Task<ScriptedPeer> StartMeasuredAsync(
        RequestDelegate application, Action<FastCgiServerOptions>? options = null) =>
        StartMeasuredAsync(Transports.Usual, application, options);

    private async Task<ScriptedPeer> StartMeasuredAsync(
        ServerTransport transport, RequestDelegate application, Action<FastCgiServerOptions>? options = null)
    {
        await StartAsync(transport, application, options, Clock);
        _durations = Measurements.OfConnectionDurations(Server);
        return await ConnectAsync();
    }
}
