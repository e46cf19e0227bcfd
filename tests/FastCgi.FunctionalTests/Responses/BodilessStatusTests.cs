using System.Buffers;

namespace FastCgi.FunctionalTests.Responses;

/// <summary>Statuses that have no body, and what an application may try with them.</summary>
public sealed class BodilessStatusTests : FunctionalTest
{
    private const int ApplicationError = 13;

    public static MatrixTheoryData<int, string> WithoutLength { get; } = new(
        [100, 101, 102, 103, 204], ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"]);

    [Theory, MemberData(nameof(WithoutLength))]
    public async Task A_length_throws_at_the_start(int status, string method)
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.StatusCode = status;
            context.Response.ContentLength = 1;
            await context.Response.StartAsync();
        });
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError && entry.Exception is InvalidOperationException);

        Assert.Equal(500, (await peer.RoundTripAsync(Get() with { Method = method })).StatusCode);
    }

    [Fact]
    public async Task A_length_of_zero_is_removed()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.StatusCode = 204;
            context.Response.ContentLength = 0;
            await context.Response.StartAsync();
        });
        foreach (var method in (string[])["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
        {
            var response = await peer.RoundTripAsync(Get() with { Method = method });

            Assert.Equal((204, null), (response.StatusCode, response.Header("Content-Length")));
        }
    }

    /// <summary>Web servers pass it on as the only response, and the client waits for the final one for ever.</summary>
    [Theory, InlineData(100), InlineData(101), InlineData(102), InlineData(103), InlineData(199)]
    public async Task An_informational_status_is_no_response(int status)
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            context.Response.StatusCode = status;
            if (context.Request.Path == "/start")
            {
                await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.StartAsync());
                Assert.False(context.Response.HasStarted);
                context.Response.StatusCode = 404;
            }
        });
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError
            && entry.Exception is InvalidOperationException exception
            && exception.Message.Contains($"{status}", StringComparison.Ordinal));

        Assert.Equal(404, (await peer.RoundTripAsync(Get("/start"))).StatusCode);
        Assert.Equal(500, (await peer.RoundTripAsync(Get())).StatusCode);
    }

    [Fact]
    public async Task A_length_on_205_throws_and_zero_is_kept()
    {
        var response = await RespondAsync(async context =>
        {
            context.Response.StatusCode = 205;
            context.Response.ContentLength = 1;
            await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.StartAsync());
            Assert.False(context.Response.HasStarted);
            context.Response.ContentLength = 0;
        });

        Assert.Equal((205, "0"), (response.StatusCode, response.Header("Content-Length")));
    }

    [Theory, InlineData(204), InlineData(205), InlineData(304)]
    public async Task What_is_written_by_the_pipe_goes_nowhere(int status)
    {
        var response = await RespondAsync(context =>
        {
            context.Response.StatusCode = status;
            context.Response.BodyWriter.Write("not wanted"u8);
            return Task.CompletedTask;
        });

        Assert.Equal((status, ""), (response.StatusCode, response.BodyText));
    }

    [Theory, InlineData(204), InlineData(205), InlineData(304)]
    public async Task What_is_flushed_by_the_pipe_goes_nowhere(int status)
    {
        var response = await RespondAsync(async context =>
        {
            context.Response.StatusCode = status;
            context.Response.BodyWriter.Write("not wanted"u8);
            await context.Response.BodyWriter.FlushAsync();
            Assert.True(context.Response.HasStarted);
            Assert.Throws<InvalidOperationException>(() => context.Response.BodyWriter.Write("not wanted"u8));
        });

        Assert.Equal((status, ""), (response.StatusCode, response.BodyText));
    }

    [Theory, InlineData(204), InlineData(205), InlineData(304)]
    public async Task JSON_goes_nowhere(int status)
    {
        var response = await RespondAsync(context =>
        {
            context.Response.StatusCode = status;
            return context.Response.WriteAsJsonAsync(new int[100]);
        });

        Assert.Equal((status, ""), (response.StatusCode, response.BodyText));
    }
}
