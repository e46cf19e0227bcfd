namespace FastCgi.FunctionalTests.Responses;

public sealed class HeadTests : FunctionalTest
{
    [Fact]
    public async Task The_body_is_dropped_and_logged_once()
    {
        await AssertHeadAsync(async context =>
        {
            await context.Response.WriteAsync("one");
            await context.Response.WriteAsync("two");
            await context.Response.BodyWriter.WriteAsync("three"u8.ToArray());
        });

        Assert.Single(Logs.Entries, entry => entry.EventId.Id == HeadBodyIgnored);
    }

    /// <summary>nginx would keep the response in its cache, and show it for GET.</summary>
    [Theory]
    [InlineData("nginx/1.22.1", 200, "0")]
    [InlineData("renamed by a configuration", 200, "0")]
    [InlineData("", 404, "0")]
    [InlineData("nginx/1.22.1", 304, null)]
    [InlineData("Apache/2.4", 200, null)]
    [InlineData("lighttpd/1.4", 200, null)]
    [InlineData("Caddy/v2", 200, null)]
    [InlineData("HAProxy 2.6", 200, null)]
    [InlineData("h2o/2.2.5", 200, null)]
    [InlineData("Microsoft-IIS/10.0", 200, null)]
    [InlineData("FastCgi.Client", 200, null)]
    public async Task Nginx_is_told_not_to_keep_it(string software, int status, string? expected)
    {
        var peer = await StartAndConnectAsync(Run(context => context.Response.StatusCode = status));

        var head = await peer.RoundTripAsync(Head() with { ExtraParams = [("SERVER_SOFTWARE", software)] });
        Assert.Equal(expected, head.Header("X-Accel-Expires"));
        var get = await peer.RoundTripAsync(Get() with { ExtraParams = [("SERVER_SOFTWARE", software)] });
        Assert.Null(get.Header("X-Accel-Expires"));
    }

    [Fact]
    public async Task The_application_may_tell_nginx_to_keep_it()
    {
        var response = await RespondAsync(Run(context => context.Response.Headers["X-Accel-Expires"] = "60"), Head());

        Assert.Equal("60", response.Header("X-Accel-Expires"));
    }

    [Fact]
    public Task No_length_is_invented() => AssertHeadAsync(_ => Task.CompletedTask);

    [Fact]
    public Task What_was_written_before_the_start_is_dropped_too() => AssertHeadAsync(async context =>
    {
        context.Response.BodyWriter.GetMemory(100);
        context.Response.BodyWriter.Advance(100);
        await context.Response.StartAsync();
        context.Response.BodyWriter.GetMemory(100);
        context.Response.BodyWriter.Advance(100);
        await context.Response.BodyWriter.FlushAsync();
    });

    private Task AssertHeadAsync(RequestDelegate application) =>
        AssertRespondsAsync((200, null, ""), application, Head());
}
