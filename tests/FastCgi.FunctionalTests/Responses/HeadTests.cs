namespace FastCgi.FunctionalTests.Responses;

public sealed class HeadTests : FunctionalTest
{
    private const int HeadBodyIgnored = 18;

    [Fact]
    public async Task The_body_is_dropped_and_logged_once()
    {
        var response = await RespondAsync(
            async context =>
            {
                await context.Response.WriteAsync("one");
                await context.Response.WriteAsync("two");
                await context.Response.BodyWriter.WriteAsync("three"u8.ToArray());
            },
            Head());

        Assert.Equal(200, response.StatusCode);
        Assert.Empty(response.Body);
        Assert.Single(Logs.Entries, entry => entry.EventId.Id == HeadBodyIgnored);
    }

    [Fact]
    public async Task The_length_of_the_application_is_kept()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.ContentLength = 42;
            return Task.CompletedTask;
        });

        var response = await peer.RoundTripAsync(Head());

        Assert.Equal((200, "42"), (response.StatusCode, response.Header("Content-Length")));
        Assert.Empty(response.Body);
        Assert.Equal(200, (await peer.RoundTripAsync(Head())).StatusCode);
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
        var peer = await StartAndConnectAsync(context =>
        {
            context.Response.StatusCode = status;
            return Task.CompletedTask;
        });

        var head = await peer.RoundTripAsync(Head() with { ExtraParams = [("SERVER_SOFTWARE", software)] });
        Assert.Equal(expected, head.Header("X-Accel-Expires"));
        var get = await peer.RoundTripAsync(Get() with { ExtraParams = [("SERVER_SOFTWARE", software)] });
        Assert.Null(get.Header("X-Accel-Expires"));
    }

    [Fact]
    public async Task The_application_may_tell_nginx_to_keep_it()
    {
        var response = await RespondAsync(
            context =>
            {
                context.Response.Headers["X-Accel-Expires"] = "60";
                return Task.CompletedTask;
            },
            Head());

        Assert.Equal("60", response.Header("X-Accel-Expires"));
    }

    [Fact]
    public async Task No_length_is_invented() =>
        Assert.Null((await RespondAsync(_ => Task.CompletedTask, Head())).Header("Content-Length"));

    [Fact]
    public async Task A_synchronous_write_is_dropped_too()
    {
        var response = await RespondAsync(
            context =>
            {
                context.Response.Body.Write("dropped"u8);
                return Task.CompletedTask;
            },
            Head(),
            options => options.AllowSynchronousIO = true);

        Assert.Equal(200, response.StatusCode);
        Assert.Empty(response.Body);
    }

    [Fact]
    public async Task What_was_written_before_the_start_is_dropped_too()
    {
        var response = await RespondAsync(
            async context =>
            {
                context.Response.BodyWriter.GetMemory(100);
                context.Response.BodyWriter.Advance(100);
                await context.Response.StartAsync();
                context.Response.BodyWriter.GetMemory(100);
                context.Response.BodyWriter.Advance(100);
                await context.Response.BodyWriter.FlushAsync();
            },
            Head());

        Assert.Equal(200, response.StatusCode);
        Assert.Empty(response.Body);
    }

    [Fact]
    public async Task More_than_the_length_is_nobody_s_business()
    {
        var response = await RespondAsync(
            context =>
            {
                context.Response.ContentLength = 2;
                return context.Response.WriteAsync("longer than two");
            },
            Head());

        Assert.Equal((200, "2"), (response.StatusCode, response.Header("Content-Length")));
    }
}
