namespace FastCgi.FunctionalTests.Responses;

public sealed class ExceptionTests : FunctionalTest
{
    private readonly InvalidOperationException _failure = new("of the application");

    [Theory, InlineData("GET"), InlineData("HEAD")]
    [HardInput("W2")]
    public async Task Before_the_start_it_is_a_500_without_what_was_prepared(string method)
    {
        var peer = await StartAndConnectAsync(Run(context =>
        {
            if (context.Request.Path == "/fail")
            {
                context.Response.StatusCode = 201;
                context.Response.Headers["X-Wiped"] = "x";
                context.Response.BodyWriter.GetSpan(10);
                context.Response.BodyWriter.Advance(10);
                throw _failure;
            }
        }));
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError && ReferenceEquals(entry.Exception, _failure));

        var response = await peer.RoundTripAsync(Get("/fail") with { Method = method });

        AssertResponse((500, "0", ""), response);
        Assert.Null(response.Header("X-Wiped"));
        Assert.Equal(500, await Logs.FinishedStatusAsync());
        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("W2")]
    public Task After_the_start_the_response_is_torn() => AssertTearsAsync("half a page", async context =>
    {
        await context.Response.WriteAsync("half a page");
        throw _failure;
    });

    /// <summary>The others are no status of an error that a client could make sense of.</summary>
    [Theory]
    [InlineData(422, 422)]
    [InlineData(0, 500)]
    [InlineData(200, 500)]
    [InlineData(304, 500)]
    [InlineData(600, 500)]
    [InlineData(1000, 500)]
    public async Task Of_a_bad_request_it_is_its_status_and_no_error(int status, int expected)
    {
        SyncPoint completed = "OnCompleted";
        var response = await RespondAsync(context =>
        {
            context.Response.OnCompleted(completed.Reach);
            throw new BadHttpRequestException("no", status);
        });

        Assert.Equal(expected, response.StatusCode);
        await completed.WaitAsync();
    }
}
