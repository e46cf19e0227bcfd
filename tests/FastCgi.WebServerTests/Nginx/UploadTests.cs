using Microsoft.AspNetCore.Mvc;

namespace FastCgi.WebServerTests.Nginx;

/// <summary>Bodies that nginx passes on as they come, and where it does not know their length.</summary>
public sealed class UploadTests
{
    private const long FiftyMegabytes = 50_000_000;
    private const int Pieces = 5;

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Kestrel)]
    public async Task A_body_without_a_length_and_its_response_flow_at_the_same_time(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapPost("/", async context =>
            {
                var piece = new byte[5];
                context.Response.Headers["X-Length"] = context.Request.ContentLength is null ? "none" : "some";
                for (var i = 0; i < Pieces; i++)
                {
                    await context.Request.Body.ReadExactlyAsync(piece);
                    await context.Response.Body.WriteAsync(piece);
                    await context.Response.Body.FlushAsync();
                }
            }),
            nginx: new NginxSettings { BuffersRequests = false, BuffersResponses = false });
        await using var client = await site.ConnectAsync(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\npong0\r\n");
        var head = await client.ReadHeadAsync();
        Assert.Equal("none", head.Value("X-Length"));
        var body = client.ReadBody(head);
        Assert.Equal("pong0", await ReadAsync(body, "0"));
        for (var i = 1; i < Pieces; i++)
        {
            await client.SendAsync($"5\r\npong{i}\r\n");
            Assert.Equal($"pong{i}", await ReadAsync(body, $"{i}"));
        }

        await client.SendAsync("0\r\n\r\n");
        Assert.True((await body.ReadAsync()).IsEmpty);
    }

    /// <summary>
    /// Not by SCGI: there nginx says how much of the body it has at that moment, which may be nothing, so that only the read
    /// of the body fails.
    /// </summary>
    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Kestrel)]
    public async Task Too_large_a_body_is_refused_before_it_is_sent(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapPost("/", async (HttpRequest request) => await request.Body.CopyToAsync(Stream.Null))
                .WithMetadata(new RequestSizeLimitAttribute(1000)),
            nginx: new NginxSettings { BuffersRequests = false });
        if (backEnd == BackEndKind.Kestrel)
        {
            // Kestrel calls it the application's error, although it answers as it should.
            site.Log.ExpectError(eventId: 13);
        }

        await using var client = await site.ConnectAsync();

        // The client waits for the answer with its body hardly begun. Kestrel gets none of it: it closes with bytes unread,
        // which resets the connection, and nginx says 502 when it sees that before the answer.
        await client.SendAsync($"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {FiftyMegabytes}\r\n\r\n");
        if (backEnd != BackEndKind.Kestrel)
        {
            await client.SendAsync(new byte[10_000]);
        }

        Assert.Equal(413, (await client.ReadResponseAsync()).Status);
    }

    /// <summary>curl --http2 asks for an upgrade with a body that has no length yet.</summary>
    [Fact]
    public async Task A_chunked_body_comes_whole_where_an_endpoint_allows_upgrades()
    {
        const int ChunkSize = 20_000;
        const int Chunks = 10;
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

    /// <summary>A piece may come in several reads; it is whole when it ends so.</summary>
    private static async Task<string> ReadAsync(RawBodyReader body, string end)
    {
        var text = new StringBuilder();
        while (!text.ToString().EndsWith(end, StringComparison.Ordinal))
        {
            var piece = await body.ReadAsync();
            Assert.False(piece.IsEmpty, $"The body ended after '{text}'.");
            text.Append(Encoding.UTF8.GetString(piece.Span));
        }

        return text.ToString();
    }
}
