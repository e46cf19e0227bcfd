namespace FastCgi.FunctionalTests.Limits;

/// <summary>SlowRequestAfter and RequestTimeout, on a scripted clock.</summary>
public sealed class RequestTimeoutTests : FunctionalTest
{
    private const string SlowCategory = "FastCgi.AspNetCore.SlowRequests";

    [Fact]
    public async Task A_handler_that_takes_too_long_is_504()
    {
        var peer = await StartAndEnterAsync(ServeAsync, Get("/slow?secret"), Limit(10), Clock);

        Clock.Advance(TimeSpan.FromSeconds(9));
        Assert.False(Aborted.IsReached);
        await AdvanceUntilAsync(Aborted);

        var response = await peer.ExpectResponseAsync();
        Assert.Equal((504, 0), (response.StatusCode, response.ProtocolStatus));
        Assert.Equal("The application took too long.", response.BodyText);
        var entry = await Logs.WaitForAsync(RequestTimedOut);
        Assert.Matches("GET /slow has run for 11 s .*The answer was 504", entry.Message);
        await LeaveAsync();
        await AssertServesAsync(peer, id: 2);
    }

    [Fact]
    public async Task A_HEAD_that_takes_too_long_is_504_without_a_body()
    {
        var peer = await StartAndEnterAsync(ServeAsync, Head(), Limit(10), Clock);

        await AdvanceUntilAsync(Aborted);

        var response = await peer.ExpectResponseAsync();
        Assert.Equal((504, 0, 0), (response.StatusCode, response.Body.Length, response.ProtocolStatus));
        Assert.Equal("30", response.Header("Content-Length"));
        await LeaveAsync();
    }

    [Fact]
    public async Task Without_keep_conn_the_connection_ends_behind_the_504()
    {
        var peer = await StartAndEnterAsync(ServeAsync, Get() with { KeepConnection = false }, Limit(10), Clock);

        await AdvanceUntilAsync(Aborted);

        Assert.Equal(504, (await peer.ExpectResponseAsync()).StatusCode);
        await peer.ExpectEndOfStreamAsync();
        await LeaveAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_response_that_has_begun_is_torn(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(transport, ServeAsync, Get("/begun"), Limit(10), Clock);
        Assert.Equal("begun", (await peer.ExpectResponseStartAsync()).BodyText);

        await AdvanceUntilAsync(Aborted);

        await peer.ExpectTornResponseAsync();
        await LeaveAsync();
        await AssertServesAnotherConnectionAsync();
    }

    /// <summary>One response that breaks off ends the connection, and with it the requests beside it.</summary>
    [Fact]
    public async Task Requests_beside_a_torn_response_end_with_it()
    {
        var peer = await StartAndEnterAsync(ServeAsync, Get("/begun"), Limit(10), Clock);
        Assert.Equal("begun", (await peer.ExpectResponseStartAsync(1)).BodyText);
        await peer.SendRequestAsync(Get("/other") with { Id = 2 });
        await peer.SynchronizeAsync();

        await AdvanceUntilAsync(Aborted);

        Assert.Contains(await peer.ExpectClosedAsync(), static record => record.IsTear);
        GoOn.Reach();
        await AssertServesAnotherConnectionAsync();
    }

    /// <summary>
    /// What has not left does not count, as the client never saw it. At the sight of a head nginx would stop the
    /// upload, so that a head waits for the end of the body.
    /// </summary>
    [Theory, InlineData(false), InlineData(true)]
    public async Task What_has_not_left_is_replaced_by_504(bool isUpload)
    {
        var peer = await StartAndEnterAsync(
            async context =>
            {
                context.Response.BodyWriter.Write("never seen"u8);
                if (isUpload)
                {
                    await context.Request.Body.ReadExactlyAsync(new byte[2]);
                    await context.Response.WriteAsync("held");
                }

                await ServeAsync(context);
            },
            isUpload ? BeginPost(4).Stdin(1, "ab"u8) : Get(),
            Limit(10),
            Clock);

        await AdvanceUntilAsync(Aborted);

        Assert.Equal(504, (await peer.ExpectResponseAsync()).StatusCode);
        await LeaveAsync();
    }

    [Fact]
    public async Task An_upload_that_is_under_way_gets_its_504_and_then_an_end()
    {
        var peer = await StartAndEnterAsync(
            async context =>
            {
                Entered.Reach();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(
                    () => context.Request.Body.CopyToAsync(Stream.Null).Within("the end of the read"));
                Left.Reach();
            },
            BeginPost(1000).Stdin(1, new byte[10]),
            options =>
            {
                Limit(10)(options);
                options.Limits.MinRequestBodyDataRate = null;
            },
            Clock);

        await AdvanceUntilAsync(Left);

        Assert.Equal(504, (await peer.ExpectResponseAsync()).StatusCode);
        await peer.ExpectEndOfStreamAsync();
    }

    [Fact]
    public async Task The_place_is_free_when_the_handler_has_left_and_not_before()
    {
        var peer = await StartAndEnterAsync(
            ServeAsync,
            Get(),
            options =>
            {
                Limit(10)(options);
                options.Limits.MaxConcurrentRequests = 1;
            },
            Clock);
        await AdvanceUntilAsync(Aborted);
        Assert.Equal(504, (await peer.ExpectResponseAsync()).StatusCode);

        Assert.Equal(503, (await peer.RoundTripAsync(Get())).StatusCode);

        GoOn.Reach();
        var later = await peer.RoundTripAsync(Get());
        while (later.StatusCode == 503)
        {
            later = await peer.RoundTripAsync(Get());
        }

        Assert.Equal(200, later.StatusCode);
    }

    [Fact]
    public async Task A_slow_request_is_named_once_and_goes_on()
    {
        var peer = await StartAndConnectAsync(
            ServeAsync,
            static options =>
            {
                options.SlowRequestAfter = TimeSpan.FromSeconds(5);
                options.TraceIdentifierParameter = "REQUEST_ID";
                options.Status.Path = "/status";
                options.Status.AllowedClients.Add(IPNetwork.Parse("192.0.2.7/32"));
            },
            Clock);
        LogEntry entry;
        // On a busy machine a thread that is about to leave the handler would count as one that it blocks.
        using (new StillMonitor())
        {
            await EnterAsync(peer, Post("body", "/slow?secret") with { ExtraParams = [("REQUEST_ID", "c0ffee")] });
            Clock.Advance(TimeSpan.FromSeconds(5));
            Assert.DoesNotContain(Logs.Entries, static entry => entry.Category == SlowCategory);

            entry = await AdvanceUntilSlowAsync();
        }

        Clock.Advance(TimeSpan.FromSeconds(60));

        Assert.Equal((SlowCategory, LogLevel.Warning), (entry.Category, entry.Level));
        Assert.EndsWith(
            "Request id \"c0ffee\": POST /slow has run for 6 s: its response has not begun.",
            entry.Message,
            StringComparison.Ordinal);
        GoOn.Reach();
        Assert.Equal("served", (await peer.ExpectResponseAsync()).BodyText);
        Assert.Single(Logs.Entries, static entry => entry.Category == SlowCategory);
        Assert.Contains(
            "slow requests:        1\n", (await peer.RoundTripAsync(Get("/status"))).BodyText, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_that_waits_for_its_body_is_said_to()
    {
        var peer = await StartAndEnterAsync(
            async context =>
            {
                var read = context.Request.Body.CopyToAsync(Stream.Null);
                Entered.Reach();
                await read;
            },
            BeginPost(4),
            static options =>
            {
                options.SlowRequestAfter = TimeSpan.FromSeconds(1);
                options.Limits.MinRequestBodyDataRate = null;
            },
            Clock);

        var entry = await AdvanceUntilSlowAsync();
        await peer.SendAsync(new RecordBuilder().Stdin(1, "body"u8).EndStdin());

        Assert.EndsWith("it waits for more of its body.", entry.Message, StringComparison.Ordinal);
        Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
    }

    private static Action<FastCgiServerOptions> Limit(int seconds) =>
        options => options.Limits.RequestTimeout = TimeSpan.FromSeconds(seconds);

    private async Task AdvanceUntilAsync(SyncPoint point)
    {
        Clock.Advance(TimeSpan.FromSeconds(20));
        await point.WaitAsync();
    }

    private async Task<LogEntry> AdvanceUntilSlowAsync()
    {
        Clock.Advance(TimeSpan.FromSeconds(20));
        return await Logs.WaitForAsync(SlowRequest);
    }

    private async Task ServeAsync(HttpContext context)
    {
        if (context.Request.Path == "/begun")
        {
            await context.Response.WriteAsync("begun");
        }

        await WaitAsync(context);
        await context.Response.WriteAsync("served");
        Left.Reach();
    }

    private async Task LeaveAsync()
    {
        GoOn.Reach();
        await Left.WaitAsync();
    }
}
