namespace FastCgi.FunctionalTests.Limits;

public sealed class BodySizeLimitTests : FunctionalTest
{
    /// <summary>The application swallows the failures: the answer is its own.</summary>
    [Fact]
    public Task Every_read_fails_in_the_same_way() => AssertRespondsAsync(
        (200, "0", ""),
        async context =>
        {
            Assert.Null(context.Features.Get<IBadRequestExceptionFeature>()!.Error);
            var first = await Assert.ThrowsAsync<BadHttpRequestException>(
                async () => await context.Request.Body.ReadAsync(new byte[1]));
            var second = await Assert.ThrowsAsync<BadHttpRequestException>(
                async () => await context.Request.BodyReader.ReadAsync());
            Assert.Equal(413, first.StatusCode);
            Assert.Equal(413, second.StatusCode);
            Assert.Same(first, context.Features.Get<IBadRequestExceptionFeature>()!.Error);
        },
        Post(new byte[11]),
        LimitTo(10));

    [Fact]
    public async Task One_request_may_have_another_limit_or_none_and_the_next_has_the_usual_one()
    {
        var peer = await StartAndConnectAsync(
            context =>
            {
                var limit = context.Features.Get<IHttpMaxRequestBodySizeFeature>()!;
                Assert.Equal(10, limit.MaxRequestBodySize);
                if (context.Request.Path != "/")
                {
                    limit.MaxRequestBodySize = context.Request.Path.Value switch
                    {
                        "/low" => 5,
                        "/none" => 0,
                        _ => null,
                    };
                }

                return WriteLengthAsync(context);
            },
            LimitTo(10));

        Assert.Equal("1000", (await peer.RoundTripAsync(Post(new byte[1000], "/free"))).BodyText);
        Assert.Equal(413, (await peer.RoundTripAsync(Post(new byte[6], "/low"))).StatusCode);
        Assert.Equal(413, (await peer.RoundTripAsync(Post(new byte[1], "/none"))).StatusCode);
        Assert.Equal("10", (await peer.RoundTripAsync(Post(new byte[10]))).BodyText);
        Assert.Equal(413, (await peer.RoundTripAsync(Post(new byte[11]))).StatusCode);
    }

    [Fact]
    public Task A_request_without_a_body_passes_a_limit_of_zero() =>
        AssertRespondsAsync((200, null, "0"), WriteLengthAsync, options: LimitTo(0));

    [Fact]
    public Task It_is_fixed_once_reading_began() => AssertRespondsAsync(
        (200, "0", ""),
        async context =>
        {
            var limit = context.Features.Get<IHttpMaxRequestBodySizeFeature>()!;
            Assert.False(limit.IsReadOnly);
            Assert.Throws<ArgumentOutOfRangeException>(() => limit.MaxRequestBodySize = -1);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => context.Request.Body.ReadAsync(new byte[1], new CancellationToken(canceled: true)).AsTask());
            Assert.False(limit.IsReadOnly);
            _ = await context.Request.Body.ReadAsync(new byte[1]);
            Assert.True(limit.IsReadOnly);
            Assert.Throws<InvalidOperationException>(() => limit.MaxRequestBodySize = 1);
        },
        Post("x"));

    /// <summary>As on Kestrel. MVC warns about a limit of an action that comes too late.</summary>
    [Fact]
    public Task It_stays_open_when_there_was_nothing_to_read() => AssertRespondsAsync(
        (200, "0", ""),
        async context =>
        {
            Assert.Equal(0, await context.Request.Body.ReadAsync(new byte[1]));
            var limit = context.Features.GetRequiredFeature<IHttpMaxRequestBodySizeFeature>();
            Assert.False(limit.IsReadOnly);
            limit.MaxRequestBodySize = 1;
        });

    [Fact]
    public async Task Bad_requests_are_logged_at_debug_only()
    {
        await RespondAsync(WriteLengthAsync, Post(new byte[11]), LimitTo(10));

        Assert.Equal(LogLevel.Debug, (await Logs.WaitForAsync(BadRequest)).Level);
        Assert.Equal(413, await Logs.FinishedStatusAsync());
    }

    private static Action<FastCgiServerOptions> LimitTo(long bytes) =>
        options => options.Limits.MaxRequestBodySize = bytes;
}
