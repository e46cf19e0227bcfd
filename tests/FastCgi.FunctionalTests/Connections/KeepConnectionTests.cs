using Microsoft.AspNetCore.Connections.Features;

namespace FastCgi.FunctionalTests.Connections;

public sealed class KeepConnectionTests : FunctionalTest
{
    public static MatrixTheoryData<ServerTransport, int> Lengths { get; } = new(Transports.All, [4, 5_000_000]);

    [Theory, MemberData(nameof(Lengths))]
    public async Task Not_asked_for_the_connection_closes_after_the_answer(ServerTransport transport, int length)
    {
        var peer = await StartAndConnectAsync(
            transport, context => context.Response.Body.WriteAsync(new byte[length]).AsTask());

        var response = await peer.RoundTripAsync(Get() with { KeepConnection = false });

        Assert.Equal(length, response.Body.Length);
        await peer.ExpectEndOfStreamAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Not_asked_for_the_answer_is_whole_though_the_body_of_an_aborted_request_still_comes(
        ServerTransport transport)
    {
        // More than a small window lets through, and little enough for the server to be rid of it.
        const int Length = 150_000;
        var peer = await StartAndConnectAsync(
            transport, context => context.Response.Body.WriteAsync(new byte[Length]).AsTask());
        peer.Socket.ReceiveBufferSize = 16 * 1024;

        await peer.SendAsync(BeginPost(100_000, id: 2, keepConnection: false)
            .Request(Get() with { KeepConnection = false })
            .Abort(2));
        await Logs.FinishedStatusAsync();

        // Whatever the server has closed by now would be reset by this.
        await peer.SendAsync(new RecordBuilder().Stdin(2, new byte[60_000]));

        Assert.Equal(Length, (await peer.ExpectResponseAsync(1)).Body.Length);
    }

    /// <summary>
    /// Caddy writes the end of an empty body in a call of its own, and takes its failure for that of the request.
    /// </summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task Not_asked_for_it_takes_the_end_of_an_empty_body_after_the_answer(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, Write("early"));

        Assert.Equal("early", (await peer.RoundTripAsync(BeginPost(0, keepConnection: false))).BodyText);
        await peer.ExpectEndOfStreamAsync();

        await peer.SendAsync(new RecordBuilder().EndStdin());
    }

    [Fact]
    [HardInput("E5")]
    public async Task Idle_for_longer_than_the_timeout_it_closes()
    {
        var peer = await StartAndConnectAsync(Write("x"), KeepTenSeconds, Clock);
        await AssertServesAsync(peer);

        for (var i = 0; i < 3; i++)
        {
            Clock.Advance(TimeSpan.FromSeconds(9));
            await AssertServesAsync(peer);
        }

        Clock.Advance(TimeSpan.FromSeconds(12));

        await peer.ExpectEndOfStreamAsync();
    }

    /// <summary>A peer cannot hold a connection by bytes that never become a request.</summary>
    [Fact]
    public async Task A_part_of_a_record_header_is_idle_time()
    {
        var peer = await StartAndConnectAsync(Write("x"), KeepTenSeconds, Clock);
        await AssertServesAsync(peer);
        var begin = new RecordBuilder().Begin().ToArray();

        for (var i = 0; i < 3; i++)
        {
            await peer.SendAsync(begin.AsMemory(i, 1));
            Clock.Advance(TimeSpan.FromSeconds(3));
        }

        await Clock.PassUntilAsync(peer.ExpectClosedAsync());
    }

    [Fact]
    public async Task It_is_not_idle_while_a_body_comes_or_a_handler_runs()
    {
        var peer = await StartAndConnectAsync(
            async context =>
            {
                await context.Request.Body.CopyToAsync(Stream.Null);
                await WaitAsync(context);
                await context.Response.WriteAsync("late");
            },
            options =>
            {
                KeepTenSeconds(options);
                options.Limits.MinRequestBodyDataRate = null;
            },
            Clock);

        await peer.SendAsync(BeginPost(3));
        for (var i = 0; i < 3; i++)
        {
            await peer.SynchronizeAsync();
            Clock.Advance(TimeSpan.FromSeconds(12));
            await peer.SendAsync(new RecordBuilder().Stdin(1, "x"u8));
        }

        await peer.SendAsync(new RecordBuilder().EndStdin());
        await Entered.WaitAsync();
        Clock.Advance(TimeSpan.FromSeconds(60));
        GoOn.Reach();

        Assert.Equal("late", (await peer.ExpectResponseAsync()).BodyText);
        await AssertServesAsync(peer);
    }

    [Fact]
    public async Task The_application_can_ask_for_the_close()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Features.GetRequiredFeature<IConnectionLifetimeNotificationFeature>().RequestClose();
            return context.Response.WriteAsync("last");
        });

        Assert.Equal("last", (await peer.RoundTripAsync(Get())).BodyText);
        await peer.ExpectEndOfStreamAsync();
    }

    private static void KeepTenSeconds(FastCgiServerOptions options) =>
        options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(10);
}
