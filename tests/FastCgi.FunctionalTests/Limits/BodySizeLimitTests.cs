namespace FastCgi.FunctionalTests.Limits;

public sealed class BodySizeLimitTests : FunctionalTest
{
    private static readonly RequestDelegate s_read = async context =>
    {
        var length = 0L;
        var buffer = new byte[1000];
        for (int read; (read = await context.Request.Body.ReadAsync(buffer)) > 0;)
        {
            length += read;
        }

        await context.Response.WriteAsync($"{length}");
    };

    [Fact]
    [HardInput("B6")]
    public async Task A_length_over_the_limit_is_413()
    {
        var peer = await StartAndConnectAsync(s_read, LimitTo(10));

        Assert.Equal(413, (await peer.RoundTripAsync(Post(new byte[11]))).StatusCode);
        Assert.Equal("10", (await peer.RoundTripAsync(Post(new byte[10]))).BodyText);
    }

    [Fact]
    [HardInput("B6")]
    public async Task A_body_of_unknown_length_over_the_limit_is_413()
    {
        var peer = await StartAndConnectAsync(s_read, LimitTo(10));
        var request = Post(new byte[11]) with { ExtraParams = [("CONTENT_LENGTH", "")] };

        Assert.Equal(413, (await peer.RoundTripAsync(request)).StatusCode);
        await AssertServesAsync(peer);
    }

    /// <summary>The application swallows the failures: the answer is its own.</summary>
    [Fact]
    public Task Every_read_fails_in_the_same_way() => AssertRespondsAsync(
        (200, "0", ""),
        async context =>
        {
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
    public Task An_answer_of_the_application_s_own_stands() => AssertRespondsAsync(
        (400, null, "too much for me"),
        async context =>
        {
            await Assert.ThrowsAsync<BadHttpRequestException>(() => s_read(context));
            context.Response.StatusCode = 400;
            await context.Response.WriteAsync("too much for me");
        },
        Post(new byte[11]),
        LimitTo(10));

    [Fact]
    public async Task One_request_may_have_a_lower_limit()
    {
        var response = await RespondAsync(
            context =>
            {
                context.Features.Get<IHttpMaxRequestBodySizeFeature>()!.MaxRequestBodySize = 5;
                return s_read(context);
            },
            Post(new byte[6]));

        Assert.Equal(413, response.StatusCode);
    }

    [Fact]
    public async Task One_request_may_have_no_limit_and_the_next_has_it_again()
    {
        var peer = await StartAndConnectAsync(
            context =>
            {
                var limit = context.Features.Get<IHttpMaxRequestBodySizeFeature>()!;
                Assert.Equal(10, limit.MaxRequestBodySize);
                if (context.Request.Path == "/free")
                {
                    limit.MaxRequestBodySize = null;
                }

                return s_read(context);
            },
            LimitTo(10));

        Assert.Equal("1000", (await peer.RoundTripAsync(Post(new byte[1000], "/free"))).BodyText);
        Assert.Equal(413, (await peer.RoundTripAsync(Post(new byte[1000]))).StatusCode);
    }

    [Fact]
    public Task A_request_without_a_body_passes_a_limit_of_zero() =>
        AssertRespondsAsync((200, null, "0"), s_read, options: LimitTo(0));

    [Fact]
    public Task It_is_fixed_once_reading_began() => AssertRespondsAsync(
        (200, "0", ""),
        async context =>
        {
            var limit = context.Features.Get<IHttpMaxRequestBodySizeFeature>()!;
            Assert.False(limit.IsReadOnly);
            Assert.Throws<ArgumentOutOfRangeException>(() => limit.MaxRequestBodySize = -1);
            _ = await context.Request.Body.ReadAsync(new byte[1]);
            Assert.True(limit.IsReadOnly);
            Assert.Throws<InvalidOperationException>(() => limit.MaxRequestBodySize = 1);
        },
        Post("x"));

    [Fact]
    public async Task Bad_requests_are_logged_at_debug_only()
    {
        await RespondAsync(s_read, Post(new byte[11]), LimitTo(10));

        Assert.Equal(LogLevel.Debug, (await Logs.WaitForAsync(BadRequest)).Level);
        Assert.Equal(413, await Logs.FinishedStatusAsync());
    }

    private static Action<FastCgiServerOptions> LimitTo(long bytes) =>
        options => options.Limits.MaxRequestBodySize = bytes;
}
