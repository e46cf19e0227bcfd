namespace FastCgi.FunctionalTests.Responses;

/// <summary>The application catches a failed read of the request body: its own answer stands.</summary>
public sealed class CaughtBodyErrorTests : FunctionalTest
{
    private int _starts;

    [Fact]
    public async Task A_redirect_stands()
    {
        var peer = await StartAndConnectAsync(
            context => context.Request.Path == "/upload" ? ReadOrRedirectAsync(context) : Task.CompletedTask,
            options => options.Limits.MaxRequestBodySize = 10);

        AssertRedirected(await peer.RoundTripAsync(Post(new byte[11], "/upload")));
        await AssertServesAsync(peer);
    }

    [Fact]
    public async Task A_redirect_stands_after_a_body_that_is_too_short()
    {
        var peer = await StartAndConnectAsync(ReadOrRedirectAsync);

        AssertRedirected(await peer.RoundTripAsync(BeginPost(10).Stdin(1, "short"u8).EndStdin()));
    }

    [Fact]
    public Task A_started_response_that_stays_too_short_is_torn() => AssertTearsAsync(
        "half",
        async context =>
        {
            context.Response.ContentLength = 10;
            await context.Response.WriteAsync("half");
            await Assert.ThrowsAsync<BadHttpRequestException>(() => context.Request.Body.CopyToAsync(Stream.Null));
        },
        Post(new byte[11]),
        options => options.Limits.MaxRequestBodySize = 10);

    private async Task ReadOrRedirectAsync(HttpContext context)
    {
        context.Response.OnStarting(() =>
        {
            _starts++;
            context.Response.Headers["X-Late"] = "yes";
        });
        try
        {
            await context.Request.Body.CopyToAsync(Stream.Null);
        }
        catch (BadHttpRequestException)
        {
            context.Response.Cookies.Append("kept", "1");
            context.Response.Redirect("/refused");
        }
    }

    private void AssertRedirected(CgiResponse response)
    {
        Assert.Equal((302, ""), (response.StatusCode, response.BodyText));
        Assert.Equal("/refused", response.Header("Location"));
        Assert.StartsWith("kept=1", response.Header("Set-Cookie"), StringComparison.Ordinal);
        Assert.Equal("yes", response.Header("X-Late"));
        Assert.Equal(0, response.ProtocolStatus);
        Assert.Equal(1, _starts);
    }
}
