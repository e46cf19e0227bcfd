using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using BadHttpRequestException = Microsoft.AspNetCore.Http.BadHttpRequestException;
using MinDataRate = Microsoft.AspNetCore.Server.Kestrel.Core.MinDataRate;

namespace FastCgi.FunctionalTests.Limits;

/// <summary>A body that comes too slowly, on a scripted clock. Only the time in which the application reads counts.</summary>
public sealed class BodyRateTests : FunctionalTest
{
    private readonly SyncPoint _reads = "the handler to read";
    private readonly SyncPoint _failed = "the failure of the read";

    [Fact]
    public async Task A_body_that_stands_still_is_408_after_the_grace_period()
    {
        var peer = await StartAndConnectAsync(ReadAsync, clock: Clock);

        await AssertTooSlowAsync(peer, 1000, sent: 100, seconds: 5);

        Assert.Equal(408, (await peer.ExpectResponseStartAsync()).StatusCode);
        await AssertServesAnotherConnectionAsync();
    }

    /// <summary>As on Kestrel. The rest of the body may still come, so the connection takes no other request.</summary>
    [Fact]
    public async Task An_answer_of_the_application_s_own_stands_and_the_connection_closes()
    {
        var peer = await StartAndConnectAsync(
            async context =>
            {
                var failure = await Assert.ThrowsAsync<BadHttpRequestException>(() => ReadAsync(context));
                await context.Response.WriteAsync($"caught {failure.StatusCode}");
            },
            clock: Clock);

        await AssertTooSlowAsync(peer, 1000, sent: 100, seconds: 5);

        AssertResponse((200, null, "caught 408"), await peer.ExpectResponseStartAsync());
        await Clock.PassUntilAsync(peer.ExpectClosedAsync());
    }

    [Theory, InlineData(true), InlineData(false)]
    public async Task Null_switches_it_off(bool forAll)
    {
        var peer = await StartAndConnectAsync(
            context =>
            {
                var feature = context.Features.GetRequiredFeature<IHttpMinRequestBodyDataRateFeature>();
                Assert.Equal(forAll ? null : 240.0, feature.MinDataRate?.BytesPerSecond);
                feature.MinDataRate = null;
                Assert.Null(feature.MinDataRate);
                return ReadAsync(context);
            },
            options => options.Limits.MinRequestBodyDataRate = forAll ? null : options.Limits.MinRequestBodyDataRate,
            Clock);

        await peer.SendAsync(BeginPost(3).Stdin(1, "a"u8));
        await _reads.WaitAsync();
        Clock.Advance(TimeSpan.FromHours(1));
        Assert.Equal("3", (await peer.RoundTripAsync(EndBody("bc"u8))).BodyText);
    }

    [Fact]
    public async Task A_request_can_have_a_rate_of_its_own()
    {
        var peer = await StartAndConnectAsync(
            context =>
            {
                context.Features.GetRequiredFeature<IHttpMinRequestBodyDataRateFeature>().MinDataRate =
                    new MinDataRate(1000, TimeSpan.FromSeconds(10));
                return ReadAsync(context);
            },
            clock: Clock);

        await AssertTooSlowAsync(peer, 100_000, sent: 4800, seconds: 10);

        Assert.Equal(408, (await peer.ExpectResponseStartAsync()).StatusCode);
    }

    /// <summary>The read of the rest fails, not before these seconds have passed.</summary>
    private async Task AssertTooSlowAsync(ScriptedPeer peer, int length, int sent, int seconds)
    {
        await peer.SendAsync(BeginPost(length).Stdin(1, new byte[sent]));
        await _reads.WaitAsync();
        Assert.InRange(Clock.PassUntil(_failed, "The read fails."), seconds, int.MaxValue);
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
