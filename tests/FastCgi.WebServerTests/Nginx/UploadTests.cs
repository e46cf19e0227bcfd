using System.Security.Cryptography;
using Microsoft.AspNetCore.Mvc;

namespace FastCgi.WebServerTests.Nginx;

public sealed class UploadTests
{
    private const long FiftyMegabytes = 50_000_000;

    private static readonly TimeSpan _transfer = TimeSpan.FromSeconds(60);

    [Theory, BackEnds]
    public Task Fifty_megabytes_arrive_unchanged_when_nginx_buffers_them(BackEndKind backEnd) =>
        UploadAsync(backEnd, NginxSettings.Default, new TestBytes(FiftyMegabytes), isChunked: false);

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Kestrel)]
    public Task Fifty_megabytes_arrive_unchanged_when_nginx_passes_them_on_at_once(BackEndKind backEnd) =>
        UploadAsync(backEnd, new() { BuffersRequests = false }, new TestBytes(FiftyMegabytes), isChunked: false);

    [Theory, BackEnds]
    public Task A_chunked_upload_arrives_unchanged_when_nginx_buffers_it(BackEndKind backEnd) =>
        UploadAsync(backEnd, NginxSettings.Default, new TestBytes(1_000_000), isChunked: true);

    [Theory, BackEnds]
    public Task A_chunked_upload_without_a_length_arrives_unchanged(BackEndKind backEnd) =>
        UploadAsync(backEnd, new() { BuffersRequests = false }, new TestBytes(FiftyMegabytes), isChunked: true);

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Kestrel)]
    public async Task The_application_reads_the_first_piece_before_the_client_sends_the_second(BackEndKind backEnd)
    {
        var read = new SemaphoreSlim(0);
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapPost("/", async (HttpRequest request) =>
            {
                var piece = new byte[5];
                for (var i = 0; i < 3; i++)
                {
                    await request.Body.ReadExactlyAsync(piece);
                    read.Release();
                }

                return await request.Body.ReadAsync(piece);
            }),
            nginx: new NginxSettings { BuffersRequests = false });

        await using var client = await site.ConnectAsync();
        await client.SendAsync("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (var i = 0; i < 3; i++)
        {
            await client.SendAsync("5\r\npiece\r\n");
            await read.WaitAsync().Within($"the application's reading of piece {i}");
        }

        await client.SendAsync("0\r\n\r\n");
        var response = await client.ReadResponseAsync();
        Assert.Equal((200, "0"), (response.Status, response.Text));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Kestrel)]
    public async Task A_chunked_upload_without_a_length_shows_no_length(BackEndKind backEnd)
    {
        var begun = new SemaphoreSlim(0);
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapPost("/", async (HttpRequest request) =>
            {
                begun.Release();
                using var reader = new StreamReader(request.Body);
                return $"{(request.ContentLength is null ? "none" : "some")}|{await reader.ReadToEndAsync()}";
            }),
            nginx: new NginxSettings { BuffersRequests = false });

        // nginx tells the length when it has the whole body before it asks the application.
        await using var client = await site.ConnectAsync();
        await client.SendAsync("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
        await begun.WaitAsync().Within("the application's start");
        await client.SendAsync("2\r\nde\r\n0\r\n\r\n");
        var response = await client.ReadResponseAsync();
        Assert.Equal((200, "none|abcde"), (response.Status, response.Text));
    }

    [Theory, BackEnds]
    public async Task A_client_that_expects_a_continue_gets_it(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, Hashing);
        await using var client = await site.ConnectAsync();
        await client.SendAsync("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
        Assert.Equal(100, (await client.ReadHeadAsync()).Status);
        await client.SendAsync("abcd");
        Assert.Equal(Convert.ToHexString(SHA256.HashData("abcd"u8)), (await client.ReadResponseAsync()).Text);
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

    [Theory, BackEnds]
    public async Task An_answer_before_the_body_is_read_reaches_a_client_that_goes_on_sending(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapPost("/", () => Results.Text("no need", statusCode: 403)),
            nginx: new NginxSettings { BuffersRequests = false });
        await using var client = await site.ConnectAsync();
        await client.SendAsync("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n");
        await client.SendAsync(new byte[1_000_000]);
        await client.SendAsync(new byte[1_000_000]);
        var response = await client.ReadResponseAsync();
        Assert.Equal((403, "no need"), (response.Status, response.Text));

        // And the server is there for the next one.
        Assert.Equal(403, (await site.SendAsync("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")).Status);
    }

    [Theory, BackEnds]
    public async Task A_body_that_the_application_leaves_unread_does_not_disturb_the_next_request(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, app => app.MapPost("/", () => "unread"));
        for (var i = 0; i < 5; i++)
        {
            using var content = new TestContent(new TestBytes(300_000));
            using var response = await site.Client.PostAsync((Uri?)null, content).Within("an answer");
            Assert.Equal("unread", await response.Content.ReadAsStringAsync().Within("its body"));
        }
    }

    private static async Task UploadAsync(BackEndKind backEnd, NginxSettings nginx, TestBytes bytes, bool isChunked)
    {
        await using var site = await Site.StartAsync(backEnd, Hashing, nginx: nginx);
        using var content = new TestContent(bytes, isChunked);
        using var response = await site.Client.PostAsync((Uri?)null, content).Within("an answer", deadline: _transfer);
        Assert.Equal(bytes.Hash(), await response.Content.ReadAsStringAsync().Within("its body"));
    }

    private static void Hashing(WebApplication app) =>
        app.MapPost("/", async (HttpRequest request) =>
            Convert.ToHexString(await SHA256.HashDataAsync(request.Body, request.HttpContext.RequestAborted)))
            .WithMetadata(new DisableRequestSizeLimitAttribute());
}
