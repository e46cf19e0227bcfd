using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace FastCgi.FunctionalTests.Limits;

/// <summary>
/// A response that the web server takes too slowly, on a scripted clock. Only the time in which a write waits counts.
/// </summary>
public sealed class ResponseRateTests : FunctionalTest
{
    private const int ResponseTooSlow = 28;
    private const string Large = "/large";

    // More than the buffers of a socket take.
    private const int Length = 64 * 1024 * 1024;

    private readonly ManualTimeProvider _clock = new();
    private readonly SyncPoint _aborted = "RequestAborted";
    private readonly SyncPoint _full = "a write that waits";
    private readonly SyncPoint _goOn = "the test to let the handler write";

    [Theory, ClassData(typeof(Transports))]
    public async Task A_response_that_stands_still_is_aborted_after_the_grace_period(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, WriteAsync, Rate(1_000_000_000, graceSeconds: 20), _clock);

        await peer.SendRequestAsync(target: Large);
        await _full.WaitAsync();

        Assert.InRange(await PassUntilAbortedAsync(), 20, int.MaxValue);
        await AssertServesAnotherConnectionAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task What_was_written_may_take_as_long_as_its_bytes_allow(ServerTransport transport)
    {
        // One write of all 64 MiB: 1 MiB a second allows it 64 seconds.
        var peer = await StartAndConnectAsync(transport, WriteAsync, Rate(1024 * 1024, graceSeconds: 5), _clock);

        await peer.SendRequestAsync(target: Large);
        await _full.WaitAsync();

        Assert.InRange(await PassUntilAbortedAsync(), 64, int.MaxValue);
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
            _clock);

        await peer.SendRequestAsync(target: Large);
        await _full.WaitAsync();
        for (var minute = 0; minute < 4; minute++)
        {
            _clock.Advance(TimeSpan.FromMinutes(1));
        }

        Assert.Equal(Length, (await peer.ExpectResponseAsync()).Body.Length);
    }

    [Theory]
    [InlineData(ServerTransport.EpollOnUnix)]
    [InlineData(ServerTransport.SocketsOnTcp)]
    public async Task A_request_can_have_a_rate_of_its_own(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            context =>
            {
                context.Features.GetRequiredFeature<IHttpMinResponseDataRateFeature>().MinDataRate =
                    new MinDataRate(1_000_000_000, TimeSpan.FromSeconds(30));
                return WriteAsync(context);
            },
            clock: _clock);

        await peer.SendRequestAsync(target: Large);
        await _full.WaitAsync();

        Assert.InRange(await PassUntilAbortedAsync(), 30, int.MaxValue);
    }

    [Theory]
    [InlineData(ServerTransport.EpollOnUnix)]
    [InlineData(ServerTransport.SocketsOnTcp)]
    public async Task Time_without_a_write_does_not_count(ServerTransport transport)
    {
        SyncPoint begun = "the first piece";
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                await context.Response.WriteAsync("a");
                begun.Reach();
                await _goOn.WaitAsync();
                await context.Response.WriteAsync("b");
            },
            Rate(1_000_000_000, graceSeconds: 5),
            _clock);

        await peer.SendRequestAsync();
        await begun.WaitAsync();
        _clock.Advance(TimeSpan.FromMinutes(1));
        _clock.Advance(TimeSpan.FromMinutes(1));
        _goOn.Reach();

        Assert.Equal("ab", (await peer.ExpectResponseAsync()).BodyText);
        Assert.DoesNotContain(Logs.Entries, entry => entry.EventId.Id == ResponseTooSlow);
    }

    private static Action<FastCgi.AspNetCore.FastCgiServerOptions> Rate(double bytesPerSecond, int graceSeconds) =>
        options => options.Limits.MinResponseDataRate =
            new MinDataRate(bytesPerSecond, TimeSpan.FromSeconds(graceSeconds));

    private async Task<int> PassUntilAbortedAsync()
    {
        var passed = _clock.PassUntil(_aborted, "The response is aborted.");
        await Logs.WaitForAsync(ResponseTooSlow);
        return passed;
    }

    private async Task WriteAsync(HttpContext context)
    {
        if (context.Request.Path != Large)
        {
            return;
        }

        context.RequestAborted.Register(_aborted.Reach);
        var write = context.Response.Body.WriteAsync(new byte[Length]);
        Assert.False(write.IsCompleted);
        _full.Reach();
        await write;
    }
}
