using System.Buffers;
using System.Net;
using FastCgi.AspNetCore;
using Microsoft.Extensions.Logging;

namespace FastCgi.FunctionalTests.Limits;

/// <summary>SlowRequestAfter and RequestTimeout, on a scripted clock.</summary>
public sealed class RequestTimeoutTests : FunctionalTest
{
    private const string SlowCategory = "FastCgi.AspNetCore.SlowRequests";

    private readonly ManualTimeProvider _clock = new();
    private readonly SyncPoint _entered = "the handler";
    private readonly SyncPoint _aborted = "RequestAborted";
    private readonly SyncPoint _goOn = "the test to let the handler go on";
    private readonly SyncPoint _left = "the end of the handler";

    [Theory, ClassData(typeof(Transports))]
    public async Task A_handler_that_takes_too_long_is_504(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, WaitAsync, Limit(10), _clock);
        await peer.SendRequestAsync(Get("/slow?secret"));
        await _entered.WaitAsync();

        _clock.Advance(TimeSpan.FromSeconds(9));
        Assert.False(_aborted.IsReached);
        await AdvanceUntilAsync(_aborted);

        var response = await peer.ExpectResponseAsync();
        Assert.Equal((504, 0), (response.StatusCode, response.ProtocolStatus));
        Assert.Equal("The application took too long.", response.BodyText);
        var entry = await Logs.WaitForAsync(214);
        Assert.Matches("GET /slow has run for 11 s .*The answer was 504", entry.Message);
        _goOn.Reach();
        await _left.WaitAsync();
        await AssertServesAsync(peer, id: 2);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_HEAD_that_takes_too_long_is_504_without_a_body(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, WaitAsync, Limit(10), _clock);
        await peer.SendRequestAsync(Head());
        await _entered.WaitAsync();

        await AdvanceUntilAsync(_aborted);

        var response = await peer.ExpectResponseAsync();
        Assert.Equal((504, 0, 0), (response.StatusCode, response.Body.Length, response.ProtocolStatus));
        Assert.Equal("30", response.Header("Content-Length"));
        _goOn.Reach();
        await _left.WaitAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_response_that_has_begun_is_torn(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                await context.Response.WriteAsync("begun");
                await WaitAsync(context);
            },
            Limit(10),
            _clock);
        await peer.SendRequestAsync(Get());
        Assert.Equal("begun", (await peer.ExpectResponseStartAsync()).BodyText);
        await _entered.WaitAsync();

        await AdvanceUntilAsync(_aborted);

        await peer.ExpectTornResponseAsync();
        _goOn.Reach();
        await _left.WaitAsync();
        await AssertServesAnotherConnectionAsync();
    }

    /// <summary>One response that breaks off ends the connection, and with it the requests beside it.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task Requests_beside_a_torn_response_end_with_it(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                if (context.Request.Path == "/begun")
                {
                    await context.Response.WriteAsync("begun");
                }

                await WaitAsync(context);
            },
            Limit(10),
            _clock);
        await peer.SendRequestAsync(Get("/begun") with { Id = 1 });
        Assert.Equal("begun", (await peer.ExpectResponseStartAsync(1)).BodyText);
        await peer.SendRequestAsync(Get("/other") with { Id = 2 });
        await peer.SynchronizeAsync();

        await AdvanceUntilAsync(_aborted);

        Assert.Contains(await peer.ExpectClosedAsync(), static record => record.IsTear);
        _goOn.Reach();
        await AssertServesAnotherConnectionAsync();
    }

    /// <summary>nginx would stop the upload at the sight of the head, so it waits for the end of the body.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task A_head_that_waits_for_the_upload_is_replaced_by_504(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                await context.Request.Body.ReadExactlyAsync(new byte[2]);
                await context.Response.WriteAsync("held");
                await WaitAsync(context);
            },
            Limit(10),
            _clock);
        await peer.SendAsync(BeginPost(4).Stdin(1, "ab"u8));
        await _entered.WaitAsync();

        await AdvanceUntilAsync(_aborted);

        Assert.Equal(504, (await peer.ExpectResponseAsync()).StatusCode);
        _goOn.Reach();
        await _left.WaitAsync();
    }

    /// <summary>What the handler wrote and has not left does not count: the client never saw it.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task What_has_not_left_is_replaced_by_504(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                context.Response.BodyWriter.Write("never seen"u8);
                await WaitAsync(context);
            },
            Limit(10),
            _clock);
        await peer.SendRequestAsync(Get());
        await _entered.WaitAsync();

        await AdvanceUntilAsync(_aborted);

        Assert.Equal(504, (await peer.ExpectResponseAsync()).StatusCode);
        _goOn.Reach();
        await _left.WaitAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_upload_that_is_under_way_gets_its_504_and_then_an_end(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                _entered.Reach();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(
                    () => context.Request.Body.CopyToAsync(Stream.Null).Within("the end of the read"));
                _left.Reach();
            },
            options =>
            {
                Limit(10)(options);
                options.Limits.MinRequestBodyDataRate = null;
            },
            _clock);
        await peer.SendAsync(BeginPost(1000).Stdin(1, new byte[10]));
        await _entered.WaitAsync();

        await AdvanceUntilAsync(_left);

        Assert.Equal(504, (await peer.ExpectResponseAsync()).StatusCode);
        await peer.ExpectEndOfStreamAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task The_place_is_free_when_the_handler_has_left_and_not_before(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            WaitAsync,
            options =>
            {
                Limit(10)(options);
                options.Limits.MaxConcurrentRequests = 1;
            },
            _clock);
        await peer.SendRequestAsync(Get());
        await _entered.WaitAsync();
        await AdvanceUntilAsync(_aborted);
        Assert.Equal(504, (await peer.ExpectResponseAsync()).StatusCode);

        Assert.Equal(503, (await peer.RoundTripAsync(Get())).StatusCode);

        _goOn.Reach();
        var later = await peer.RoundTripAsync(Get());
        while (later.StatusCode == 503)
        {
            later = await peer.RoundTripAsync(Get());
        }

        Assert.Equal(200, later.StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_slow_request_is_named_once_and_goes_on(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            WaitAsync,
            static options =>
            {
                options.SlowRequestAfter = TimeSpan.FromSeconds(5);
                options.TraceIdentifierParameter = "REQUEST_ID";
                options.Status.Path = "/status";
                options.Status.AllowedClients.Add(IPNetwork.Parse("192.0.2.7/32"));
            },
            _clock);
        LogEntry entry;
        // On a busy machine a thread that is about to leave the handler would count as one that it blocks.
        using (new StillMonitor())
        {
            await peer.SendRequestAsync(
                Post("body", "/slow?secret") with { ExtraParams = [("REQUEST_ID", "c0ffee")] });
            await _entered.WaitAsync();
            _clock.Advance(TimeSpan.FromSeconds(5));
            Assert.DoesNotContain(Logs.Entries, static entry => entry.Category == SlowCategory);

            entry = await AdvanceUntilAsync(Logs.WaitForAsync(213));
        }

        _clock.Advance(TimeSpan.FromSeconds(60));

        Assert.Equal((SlowCategory, LogLevel.Warning), (entry.Category, entry.Level));
        Assert.EndsWith(
            "Request id \"c0ffee\": POST /slow has run for 6 s: its response has not begun.",
            entry.Message,
            StringComparison.Ordinal);
        _goOn.Reach();
        Assert.Equal("served", (await peer.ExpectResponseAsync()).BodyText);
        Assert.Single(Logs.Entries, static entry => entry.Category == SlowCategory);
        Assert.Contains(
            "slow requests:        1\n", (await peer.RoundTripAsync(Get("/status"))).BodyText, StringComparison.Ordinal);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_request_that_waits_for_its_body_is_said_to(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                var read = context.Request.Body.CopyToAsync(Stream.Null);
                _entered.Reach();
                await read;
            },
            static options =>
            {
                options.SlowRequestAfter = TimeSpan.FromSeconds(1);
                options.Limits.MinRequestBodyDataRate = null;
            },
            _clock);
        await peer.SendAsync(BeginPost(4));
        await _entered.WaitAsync();

        var entry = await AdvanceUntilAsync(Logs.WaitForAsync(213));
        await peer.SendAsync(new RecordBuilder().Stdin(1, "body"u8).EndStdin());

        Assert.EndsWith("it waits for more of its body.", entry.Message, StringComparison.Ordinal);
        Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-5)]
    public void A_limit_of_zero_or_less_is_refused(int seconds)
    {
        var options = new FastCgiServerOptions();
        Assert.Contains(
            "SlowRequestAfter must be null (never) or longer than zero",
            Assert.Throws<ArgumentOutOfRangeException>(() => options.SlowRequestAfter = TimeSpan.FromSeconds(seconds)).Message,
            StringComparison.Ordinal);
        Assert.Contains(
            "RequestTimeout must be longer than zero",
            Assert.Throws<ArgumentOutOfRangeException>(
                () => options.Limits.RequestTimeout = TimeSpan.FromSeconds(seconds)).Message,
            StringComparison.Ordinal);
    }

    private static Action<FastCgiServerOptions> Limit(int seconds) =>
        options => options.Limits.RequestTimeout = TimeSpan.FromSeconds(seconds);

    private async Task AdvanceUntilAsync(SyncPoint point) => await AdvanceUntilAsync(Wait(point));

    private static async Task<bool> Wait(SyncPoint point)
    {
        await point.WaitAsync();
        return true;
    }

    private async Task<T> AdvanceUntilAsync<T>(Task<T> happened)
    {
        _clock.Advance(TimeSpan.FromSeconds(20));
        return await happened;
    }

    private async Task WaitAsync(HttpContext context)
    {
        using var registration = context.RequestAborted.Register(_aborted.Reach);
        _entered.Reach();
        await _goOn.WaitAsync();
        await context.Response.WriteAsync("served");
        _left.Reach();
    }
}
