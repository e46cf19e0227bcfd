using Microsoft.AspNetCore.Http.Features;

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

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B6")]
    public async Task A_length_over_the_limit_is_413(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport, s_read, options => options.Limits.MaxRequestBodySize = 10);

        Assert.Equal(413, (await peer.RoundTripAsync(Post(new byte[11]))).StatusCode);
        Assert.Equal("10", (await peer.RoundTripAsync(Post(new byte[10]))).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B6")]
    public async Task A_body_of_unknown_length_over_the_limit_is_413(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport, s_read, options => options.Limits.MaxRequestBodySize = 10);
        var request = Post(new byte[11]) with { ExtraParams = [("CONTENT_LENGTH", "")] };

        Assert.Equal(413, (await peer.RoundTripAsync(request)).StatusCode);
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Every_read_fails_in_the_same_way(ServerTransport transport)
    {
        var response = await RespondAsync(
            transport,
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
            options => options.Limits.MaxRequestBodySize = 10);

        // Swallowed: the answer is the application's.
        Assert.Equal(200, response.StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_answer_of_the_application_s_own_stands(ServerTransport transport)
    {
        var response = await RespondAsync(
            transport,
            async context =>
            {
                try
                {
                    await s_read(context);
                }
                catch (BadHttpRequestException)
                {
                    context.Response.StatusCode = 400;
                    await context.Response.WriteAsync("too much for me");
                }
            },
            Post(new byte[11]),
            options => options.Limits.MaxRequestBodySize = 10);

        Assert.Equal((400, "too much for me"), (response.StatusCode, response.BodyText));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task One_request_may_have_a_lower_limit(ServerTransport transport)
    {
        var response = await RespondAsync(
            transport,
            context =>
            {
                context.Features.Get<IHttpMaxRequestBodySizeFeature>()!.MaxRequestBodySize = 5;
                return s_read(context);
            },
            Post(new byte[6]));

        Assert.Equal(413, response.StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task One_request_may_have_no_limit_and_the_next_has_it_again(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
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
            options => options.Limits.MaxRequestBodySize = 10);

        Assert.Equal("1000", (await peer.RoundTripAsync(Post(new byte[1000], "/free"))).BodyText);
        Assert.Equal(413, (await peer.RoundTripAsync(Post(new byte[1000]))).StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_request_without_a_body_passes_a_limit_of_zero(ServerTransport transport)
    {
        var response = await RespondAsync(
            transport, s_read, options: options => options.Limits.MaxRequestBodySize = 0);

        Assert.Equal((200, "0"), (response.StatusCode, response.BodyText));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task It_is_fixed_once_reading_began(ServerTransport transport)
    {
        await RespondAsync(
            transport,
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
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Bad_requests_are_logged_at_debug_only(ServerTransport transport)
    {
        const int BadRequest = 17;
        await RespondAsync(
            transport, s_read, Post(new byte[11]), options => options.Limits.MaxRequestBodySize = 10);

        Assert.Equal(
            Microsoft.Extensions.Logging.LogLevel.Debug, (await Logs.WaitForAsync(BadRequest)).Level);
        Assert.Equal(413, await Logs.FinishedStatusAsync());
    }
}
