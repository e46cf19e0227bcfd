namespace FastCgi.WebServerTests.Scgi;

/// <summary>
/// nginx 1.22 with <c>scgi_request_buffering off</c> tells as CONTENT_LENGTH how much of the body it has at that moment.
/// Nothing of an upload may be lost by that in silence.
/// </summary>
public sealed class UnbufferedUploadTests(SharedSite shared) : IClassFixture<SharedSite>
{
    private const int CutBody = 313;

    [Fact]
    public async Task Reading_such_a_body_fails_and_the_log_says_what_to_change()
    {
        var site = await StartAsync();
        await using var client = await site.ConnectAsync(
            "POST /read HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n");
        await client.SendAsync(new byte[2_000_000]);

        Assert.Equal(500, (await client.ReadResponseAsync()).Status);
        Assert.Contains("scgi_request_buffering", (await site.Log.WaitForAsync(CutBody)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_does_not_read_it_is_served()
    {
        var site = await StartAsync();
        await using var client = await site.ConnectAsync(
            "POST /unread HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n");
        await client.SendAsync(new byte[2_000_000]);

        Assert.Equal((200, "unread"), (await client.ReadResponseAsync()) is var answer ? (answer.Status, answer.Text) : default);
    }

    [Fact]
    public async Task A_body_that_nginx_had_whole_is_whole()
    {
        var site = await StartAsync();

        var answer = await site.SendAsync("POST /read HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody");

        Assert.Equal((200, "4"), (answer.Status, answer.Text));
    }

    private Task<Site> StartAsync() => shared.StartedAsync(static () => Site.StartAsync(
        BackEndKind.Scgi,
        app =>
        {
            app.MapPost("/unread", () => "unread");
            app.MapPost("/read", async (HttpContext context) =>
            {
                using var body = new MemoryStream();
                await context.Request.Body.CopyToAsync(body);
                return $"{body.Length}";
            });
        },
        nginx: new NginxSettings { BuffersRequests = false }));
}
