namespace FastCgi.FunctionalTests.Responses;

public sealed class BodilessResponseTests : FunctionalTest
{
    public static TheoryData<ServerTransport, int> Statuses()
    {
        var statuses = new TheoryData<ServerTransport, int>();
        foreach (var transport in new Transports())
        {
            foreach (var status in (int[])[204, 205, 304])
            {
                statuses.Add(transport, status);
            }
        }

        return statuses;
    }

    [Theory, MemberData(nameof(Statuses))]
    [HardInput("W3")]
    public async Task Is_a_head_without_a_body(ServerTransport transport, int status)
    {
        var response = await RespondAsync(transport, context =>
        {
            context.Response.StatusCode = status;
            return Task.CompletedTask;
        });

        Assert.Equal(status, response.StatusCode);
        Assert.Empty(response.Body);
        Assert.Equal(status == 205 ? "0" : null, response.Header("Content-Length"));
    }

    [Theory, MemberData(nameof(Statuses))]
    [HardInput("W3")]
    public async Task A_write_throws_and_nothing_of_it_is_sent(ServerTransport transport, int status)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
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

    [Theory, MemberData(nameof(Statuses))]
    public async Task A_first_write_throws_and_the_application_can_still_answer(ServerTransport transport, int status)
    {
        var response = await RespondAsync(transport, async context =>
        {
            context.Response.StatusCode = status;
            await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.WriteAsync("not wanted"));
        });

        Assert.Equal(status, response.StatusCode);
        Assert.Empty(response.Body);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_length_on_204_throws(ServerTransport transport)
    {
        var response = await RespondAsync(transport, async context =>
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

    [Theory, ClassData(typeof(Transports))]
    public async Task A_length_of_zero_on_204_is_removed(ServerTransport transport)
    {
        var response = await RespondAsync(transport, context =>
        {
            context.Response.StatusCode = 204;
            context.Response.ContentLength = 0;
            return Task.CompletedTask;
        });

        Assert.Equal(204, response.StatusCode);
        Assert.Null(response.Header("Content-Length"));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_304_keeps_the_length_of_what_was_not_sent(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, context =>
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
