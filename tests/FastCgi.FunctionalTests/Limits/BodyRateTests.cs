using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using BadHttpRequestException = Microsoft.AspNetCore.Http.BadHttpRequestException;
using MinDataRate = Microsoft.AspNetCore.Server.Kestrel.Core.MinDataRate;

namespace FastCgi.FunctionalTests.Limits;

/// <summary>A body that comes too slowly, on a scripted clock. Only the time in which the application reads counts.</summary>
public sealed class BodyRateTests : FunctionalTest
{
    private readonly ManualTimeProvider _clock = new();
    private readonly SyncPoint _reads = "the handler to read";
    private readonly SyncPoint _goOn = "the test to let the handler read";
    private readonly SyncPoint _failed = "the failure of the read";

    [Theory, ClassData(typeof(Transports))]
    public async Task A_body_that_stands_still_is_408_after_the_grace_period(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, ReadAsync, clock: _clock);

        await peer.SendAsync(BeginPost(1000).Stdin(1, new byte[100]));
        await _reads.WaitAsync();
        await PassUntilFailedAsync(atLeast: 5);

        Assert.Equal(408, (await peer.ExpectResponseStartAsync()).StatusCode);
        await AssertServesAnotherConnectionAsync();
    }

    /// <summary>As on Kestrel. The rest of the body may still come, so the connection takes no other request.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task An_answer_of_the_application_s_own_stands_and_the_connection_closes(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                var failure = await Assert.ThrowsAsync<BadHttpRequestException>(() => ReadAsync(context));
                await context.Response.WriteAsync($"caught {failure.StatusCode}");
            },
            clock: _clock);

        await peer.SendAsync(BeginPost(1000).Stdin(1, new byte[100]));
        await _reads.WaitAsync();
        await PassUntilFailedAsync(atLeast: 5);
        var start = await peer.ExpectResponseStartAsync();

        Assert.Equal((200, "caught 408"), (start.StatusCode, start.BodyText));
        await _clock.PassUntilAsync(peer.ExpectClosedAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task What_came_fast_may_rest_for_longer(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, ReadAsync, clock: _clock);

        await peer.SendAsync(BeginPost(100_000).Stdin(1, new byte[4800]));
        await _reads.WaitAsync();
        // 4,800 bytes are 240 a second for twenty seconds.
        await PassUntilFailedAsync(atLeast: 20);

        Assert.Equal(408, (await peer.ExpectResponseStartAsync()).StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Time_without_a_read_does_not_count(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                await _goOn.WaitAsync();
                await ReadAsync(context);
            },
            clock: _clock);

        await peer.SendAsync(BeginPost(3).Stdin(1, "a"u8));
        await peer.SynchronizeAsync();
        _clock.Advance(TimeSpan.FromMinutes(1));
        _goOn.Reach();
        await _reads.WaitAsync();
        // A look that found the connection busy comes late, and counts as a second and a half at most.
        _clock.Advance(TimeSpan.FromSeconds(3));
        await peer.SendAsync(new RecordBuilder().Stdin(1, "bc"u8).EndStdin());

        Assert.Equal("3", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Theory]
    [InlineData(ServerTransport.EpollOnUnix, true)]
    [InlineData(ServerTransport.SocketsOnTcp, false)]
    public async Task Null_switches_it_off(ServerTransport transport, bool forAll)
    {
        var peer = await StartAndConnectAsync(
            transport,
            context =>
            {
                var feature = context.Features.GetRequiredFeature<IHttpMinRequestBodyDataRateFeature>();
                Assert.Equal(forAll ? null : 240.0, feature.MinDataRate?.BytesPerSecond);
                feature.MinDataRate = null;
                Assert.Null(feature.MinDataRate);
                return ReadAsync(context);
            },
            options => options.Limits.MinRequestBodyDataRate = forAll ? null : options.Limits.MinRequestBodyDataRate,
            _clock);

        await peer.SendAsync(BeginPost(3).Stdin(1, "a"u8));
        await _reads.WaitAsync();
        _clock.Advance(TimeSpan.FromHours(1));
        await peer.SendAsync(new RecordBuilder().Stdin(1, "bc"u8).EndStdin());

        Assert.Equal("3", (await peer.ExpectResponseAsync()).BodyText);
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
                context.Features.GetRequiredFeature<IHttpMinRequestBodyDataRateFeature>().MinDataRate =
                    new MinDataRate(1000, TimeSpan.FromSeconds(10));
                return ReadAsync(context);
            },
            clock: _clock);

        await peer.SendAsync(BeginPost(100_000).Stdin(1, new byte[4800]));
        await _reads.WaitAsync();
        await PassUntilFailedAsync(atLeast: 10);

        Assert.Equal(408, (await peer.ExpectResponseStartAsync()).StatusCode);
    }

    private async Task PassUntilFailedAsync(int atLeast)
    {
        Assert.InRange(_clock.PassUntil(_failed, "The read fails."), atLeast, int.MaxValue);
        await _failed.WaitAsync();
    }

    private async Task ReadAsync(HttpContext context)
    {
        var buffer = new byte[100_000];
        var length = 0;
        try
        {
            for (int read; ; length += read)
            {
                var next = context.Request.Body.ReadAsync(buffer);
                if (!next.IsCompleted)
                {
                    _reads.Reach();
                }

                if ((read = await next) == 0)
                {
                    break;
                }
            }
        }
        catch (BadHttpRequestException)
        {
            _failed.Reach();
            throw;
        }

        await context.Response.WriteAsync($"{length}");
    }
}
