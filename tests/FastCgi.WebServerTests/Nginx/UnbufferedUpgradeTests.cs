namespace FastCgi.WebServerTests.Nginx;

/// <summary>
/// With <c>fastcgi_request_buffering off</c>, nginx passes a chunked body on without a length. curl --http2 asks for an
/// upgrade with it.
/// </summary>
public sealed class UnbufferedUpgradeTests
{
    private const int ChunkSize = 20_000;
    private const int Chunks = 10;

    [Fact]
    public async Task The_body_comes_whole_where_an_endpoint_allows_upgrades()
    {
        await using var site = await Site.StartAsync(
            BackEndKind.FastCgi,
            app => app.MapPost("/", async (HttpContext context) =>
            {
                using var body = new MemoryStream();
                await context.Request.Body.CopyToAsync(body);
                return $"{body.Length}";
            }),
            builder => builder.Configuration["FastCgi:EndpointDefaults:AllowUpgrade"] = "true",
            new NginxSettings { BuffersRequests = false });
        await using var client = await site.ConnectAsync();
        await client.SendAsync(
            "POST / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
            + "HTTP2-Settings: AAMAAABkAAQAAP__\r\nTransfer-Encoding: chunked\r\n\r\n");
        var chunk = Encoding.ASCII.GetBytes($"{ChunkSize:x}\r\n{new string('x', ChunkSize)}\r\n");
        for (var i = 0; i < Chunks; i++)
        {
            await client.SendAsync(chunk);
        }

        await client.SendAsync("0\r\n\r\n");

        var answer = await client.ReadResponseAsync();
        Assert.Equal((200, $"{ChunkSize * Chunks}"), (answer.Status, answer.Text));
    }
}
