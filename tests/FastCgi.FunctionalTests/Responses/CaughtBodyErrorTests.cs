namespace FastCgi.FunctionalTests.Responses;

/// <summary>The application catches a failed read of the request body: its own answer stands.</summary>
public sealed class CaughtBodyErrorTests : FunctionalTest
{
    private const int ApplicationError = 13;

    [Theory, ClassData(typeof(Transports))]
    public async Task A_redirect_stands(ServerTransport transport)
    {
        var starts = 0;
        var peer = await StartAndConnectAsync(
            transport,
            context => context.Request.Path == "/upload"
                ? ReadOrRedirectAsync(context, () => starts++)
                : Task.CompletedTask,
            options => options.Limits.MaxRequestBodySize = 10);

        var response = await peer.RoundTripAsync(Post(new byte[11], "/upload"));

        AssertRedirected(response);
        Assert.Equal(1, starts);
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_redirect_stands_after_a_body_that_is_too_short(ServerTransport transport)
    {
        var starts = 0;
        var peer = await StartAndConnectAsync(transport, context => ReadOrRedirectAsync(context, () => starts++));

        await peer.SendAsync(BeginPost(10).Stdin(1, "short"u8).EndStdin());

        AssertRedirected(await peer.ExpectResponseAsync());
        Assert.Equal(1, starts);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_started_response_that_stays_too_short_is_torn(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                context.Response.ContentLength = 10;
                await context.Response.WriteAsync("half");
                await Assert.ThrowsAsync<BadHttpRequestException>(() => ReadAsync(context));
            },
            options => options.Limits.MaxRequestBodySize = 10);
        Logs.ExpectError(ApplicationError);

        await peer.SendRequestAsync(Post(new byte[11]));
        var response = await peer.ExpectTornResponseAsync();

        Assert.Equal((200, "half"), (response.StatusCode, response.BodyText));
        Assert.False(response.IsStdoutEnded);
        Assert.Null(response.ProtocolStatus);
    }

    private static async Task ReadOrRedirectAsync(HttpContext context, Action onStarting)
    {
        context.Response.OnStarting(() =>
        {
            onStarting();
            context.Response.Headers["X-Late"] = "yes";
            return Task.CompletedTask;
        });
        try
        {
            await ReadAsync(context);
        }
        catch (BadHttpRequestException)
        {
            context.Response.Cookies.Append("kept", "1");
            context.Response.Redirect("/refused");
        }
    }

    private static Task ReadAsync(HttpContext context) => context.Request.Body.CopyToAsync(Stream.Null);

    private static void AssertRedirected(CgiResponse response)
    {
        Assert.Equal((302, ""), (response.StatusCode, response.BodyText));
        Assert.Equal("/refused", response.Header("Location"));
        Assert.StartsWith("kept=1", response.Header("Set-Cookie"), StringComparison.Ordinal);
        Assert.Equal("yes", response.Header("X-Late"));
        Assert.Equal(0, response.ProtocolStatus);
    }
}
