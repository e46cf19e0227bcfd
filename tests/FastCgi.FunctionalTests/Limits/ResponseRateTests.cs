using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace FastCgi.FunctionalTests.Limits;

/// <summary>
/// A response that the web server takes too slowly, on a scripted clock. Only the time in which a write waits counts.
/// </summary>
public sealed class ResponseRateTests : FunctionalTest
{
    private const string Large = "/large";

    // More than the buffers of a socket take.
    private const int Length = 64 * 1024 * 1024;

    private readonly SyncPoint _full = "a write that waits";

    [Theory, ClassData(typeof(Transports))]
    public async Task A_response_that_stands_still_is_aborted_after_the_grace_period(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, WriteAsync, Rate(1_000_000_000, graceSeconds: 20), Clock);

        await AssertAbortedAsync(peer, seconds: 20);
        await AssertServesAnotherConnectionAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task What_was_written_may_take_as_long_as_its_bytes_allow(ServerTransport transport)
    {
        // One write of all 64 MiB: 1 MiB a second allows it 64 seconds.
        var peer = await StartAndConnectAsync(transport, WriteAsync, Rate(1024 * 1024, graceSeconds: 5), Clock);

        await AssertAbortedAsync(peer, seconds: 64);
    }

    [Theory]
    [InlineData(ServerTransport.EpollOnUnix, true)]
    [InlineData(ServerTransport.EpollOnUnix, false)]
    [InlineData(ServerTransport.SocketsOnTcp, true)]
    public async Task There_is_no_limit_by_default_and_null_switches_one_off(ServerTransport transport, bool isDefault)
    {
        var peer = await StartAndConnectAsync(
            transport,
            context =>
            {
                var feature = context.Features.GetRequiredFeature<IHttpMinResponseDataRateFeature>();
                Assert.Equal(isDefault ? default(double?) : 240, feature.MinDataRate?.BytesPerSecond);
                feature.MinDataRate = null;
                Assert.Null(feature.MinDataRate);
                return WriteAsync(context);
            },
            isDefault ? null : Rate(240, graceSeconds: 5),
            Clock);

        await peer.SendRequestAsync(target: Large);
        await _full.WaitAsync();
        for (var minute = 0; minute < 4; minute++)
        {
            Clock.Advance(TimeSpan.FromMinutes(1));
        }

        Assert.Equal(Length, (await peer.ExpectResponseAsync()).Body.Length);
    }

    [Fact]
    public async Task A_request_can_have_a_rate_of_its_own()
    {
        var peer = await StartAndConnectAsync(
            context =>
            {
                context.Features.GetRequiredFeature<IHttpMinResponseDataRateFeature>().MinDataRate =
                    new MinDataRate(1_000_000_000, TimeSpan.FromSeconds(30));
                return WriteAsync(context);
            },
            clock: Clock);

        await AssertAbortedAsync(peer, seconds: 30);
    }

    [Fact]
    public async Task Time_without_a_write_does_not_count()
    {
        var peer = await StartAndEnterAsync(
            async context =>
            {
                await context.Response.WriteAsync("a");
                Entered.Reach();
                await GoOn.WaitAsync();
                await context.Response.WriteAsync("b");
            },
            Get(),
            Rate(1_000_000_000, graceSeconds: 5),
            Clock);
        Clock.Advance(TimeSpan.FromMinutes(1));
        Clock.Advance(TimeSpan.FromMinutes(1));
        GoOn.Reach();

        Assert.Equal("ab", (await peer.ExpectResponseAsync()).BodyText);
        Assert.DoesNotContain(Logs.Entries, entry => entry.EventId.Id == ResponseMinimumDataRateNotSatisfied);
    }

    private static Action<FastCgiServerOptions> Rate(double bytesPerSecond, int graceSeconds) =>
        options => options.Limits.MinResponseDataRate =
            new MinDataRate(bytesPerSecond, TimeSpan.FromSeconds(graceSeconds));

    /// <summary>Not before these seconds have passed.</summary>
    private async Task AssertAbortedAsync(ScriptedPeer peer, int seconds)
    {
        await peer.SendRequestAsync(target: Large);
        await _full.WaitAsync();
        Assert.InRange(Clock.PassUntil(Aborted, "The response is aborted."), seconds, int.MaxValue);
        await Logs.WaitForAsync(ResponseMinimumDataRateNotSatisfied);
    }

    private async Task WriteAsync(HttpContext context)
    {
        if (context.Request.Path != Large)
        {
            return;
        }

        context.RequestAborted.Register(Aborted.Reach);
        var write = context.Response.Body.WriteAsync(new byte[Length]);
        Assert.False(write.IsCompleted);
        _full.Reach();
        await write;
    }
}
