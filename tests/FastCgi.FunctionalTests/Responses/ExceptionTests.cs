namespace FastCgi.FunctionalTests.Responses;

public sealed class ExceptionTests : FunctionalTest
{
    private const int ApplicationError = 13;

    [Fact]
    [HardInput("W2")]
    public async Task Before_the_start_it_is_a_500_without_what_was_prepared()
    {
        var failure = new InvalidOperationException("of the application");
        var peer = await StartAndConnectAsync(context =>
        {
            if (context.Request.Path != "/fail")
            {
                return Task.CompletedTask;
            }

            context.Response.StatusCode = 201;
            context.Response.Headers["X-Wiped"] = "x";
            context.Response.BodyWriter.GetSpan(10);
            context.Response.BodyWriter.Advance(10);
            throw failure;
        });
        Logs.ExpectError(entry => entry.EventId.Id == ApplicationError && ReferenceEquals(entry.Exception, failure));

        var response = await peer.RoundTripAsync(Get("/fail"));

        Assert.Equal((500, "0", ""), (response.StatusCode, response.Header("Content-Length"), response.BodyText));
        Assert.Null(response.Header("X-Wiped"));
        Assert.Equal(500, await Logs.FinishedStatusAsync());
        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("W2")]
    public async Task After_the_start_the_response_is_torn()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            await context.Response.WriteAsync("half a page");
            throw new InvalidOperationException("of the application");
        });
        Logs.ExpectError(ApplicationError);

        await peer.SendRequestAsync();
        var response = await peer.ExpectTornResponseAsync();

        Assert.False(response.IsStdoutEnded);
        Assert.Null(response.ProtocolStatus);
    }

    [Fact]
    public async Task Of_a_bad_request_it_is_its_status_and_no_error()
    {
        var response = await RespondAsync(_ => throw new BadHttpRequestException("no", 422));

        Assert.Equal(422, response.StatusCode);
    }

    /// <summary>No status of an error: nothing that a client could make sense of, or that could be written.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(200)]
    [InlineData(304)]
    [InlineData(600)]
    [InlineData(1000)]
    public async Task Of_a_bad_request_with_another_status_it_is_500(int status)
    {
        SyncPoint completed = "OnCompleted";
        var response = await RespondAsync(context =>
        {
            context.Response.OnCompleted(() =>
            {
                completed.Reach();
                return Task.CompletedTask;
            });
            throw new BadHttpRequestException("no", status);
        });

        Assert.Equal(500, response.StatusCode);
        await completed.WaitAsync();
    }
}
