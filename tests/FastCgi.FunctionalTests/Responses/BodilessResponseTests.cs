namespace FastCgi.FunctionalTests.Responses;

public sealed class BodilessResponseTests : FunctionalTest
{
    [Theory, InlineData(204), InlineData(205), InlineData(304)]
    [HardInput("W3")]
    public async Task Is_a_head_without_a_body(int status)
    {
        var response = await RespondAsync(context =>
        {
            context.Response.StatusCode = status;
            return Task.CompletedTask;
        });

        Assert.Equal(status, response.StatusCode);
        Assert.Empty(response.Body);
        Assert.Equal(status == 205 ? "0" : null, response.Header("Content-Length"));
    }

    [Theory, InlineData(204), InlineData(205), InlineData(304)]
    [HardInput("W3")]
    public async Task A_write_throws_and_nothing_of_it_is_sent(int status)
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.StatusCode = status;
            await context.Response.StartAsync();
            await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.WriteAsync("not wanted"));
        });

        var response = await peer.RoundTripAsync(Get());

        Assert.Equal(status, response.StatusCode);
        Assert.Empty(response.Body);
        Assert.Equal(status, (await peer.RoundTripAsync(Get())).StatusCode);
    }

    [Theory, InlineData(204), InlineData(205), InlineData(304)]
    public async Task A_first_write_throws_and_the_application_can_still_answer(int status)
    {
        var response = await RespondAsync(async context =>
        {
            context.Response.StatusCode = status;
            await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.WriteAsync("not wanted"));
        });

        Assert.Equal(status, response.StatusCode);
        Assert.Empty(response.Body);
    }

    [Fact]
    public async Task A_length_on_204_throws()
    {
        var response = await RespondAsync(async context =>
        {
            context.Response.StatusCode = 204;
            context.Response.ContentLength = 1;
            await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.StartAsync());
            Assert.False(context.Response.HasStarted);

            // The start failed, so the head is open again.
            context.Response.ContentLength = null;
            context.Response.Headers["X-Mended"] = "yes";
        });

        Assert.Equal((204, "yes"), (response.StatusCode, response.Header("X-Mended")));
    }

    [Fact]
    public async Task A_length_of_zero_on_204_is_removed()
    {
        var response = await RespondAsync(context =>
        {
            context.Response.StatusCode = 204;
            context.Response.ContentLength = 0;
            return Task.CompletedTask;
        });

        Assert.Equal(204, response.StatusCode);
        Assert.Null(response.Header("Content-Length"));
    }

    [Fact]
    public async Task A_304_keeps_the_length_of_what_was_not_sent()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.StatusCode = 304;
            context.Response.ContentLength = 42;
            return Task.CompletedTask;
        });

        var response = await peer.RoundTripAsync(Get());

        Assert.Equal((304, "42"), (response.StatusCode, response.Header("Content-Length")));
        Assert.Empty(response.Body);
        Assert.Equal(304, (await peer.RoundTripAsync(Get())).StatusCode);
    }
}
