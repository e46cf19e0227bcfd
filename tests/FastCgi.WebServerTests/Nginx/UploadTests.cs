using Microsoft.AspNetCore.Mvc;

namespace FastCgi.WebServerTests.Nginx;

public sealed class UploadTests(SharedSite shared) : IClassFixture<SharedSite>
{
    private const long FiftyMegabytes = 50_000_000;

    private static readonly TimeSpan _transfer = TimeSpan.FromSeconds(60);

    public static TheoryData<BackEndKind, bool, bool, long> Uploads =>
    [
        .. from backEnd in Enum.GetValues<BackEndKind>()
        from isBuffered in (bool[])[true, false]
        from isChunked in (bool[])[true, false]
        where backEnd != BackEndKind.Scgi || isBuffered || isChunked
        select (backEnd, isBuffered, isChunked, isBuffered && isChunked ? 1_000_000 : FiftyMegabytes),
    ];

    /// <summary>By SCGI nginx tells a length that it does not have yet, see Scgi.UnbufferedUploadTests.</summary>
    [Theory, MemberData(nameof(Uploads))]
    public async Task An_upload_arrives_unchanged(BackEndKind backEnd, bool isBuffered, bool isChunked, long length)
    {
        var bytes = new TestBytes(length);
        var site = await shared.StartedAsync(
            () => Site.StartAsync(
                backEnd,
                static app => app.MapPost("/", static async (HttpRequest request) =>
                    Convert.ToHexString(await SHA256.HashDataAsync(request.Body, request.HttpContext.RequestAborted)))
                    .WithMetadata(new DisableRequestSizeLimitAttribute()),
                nginx: new NginxSettings { BuffersRequests = isBuffered }),
            (backEnd, isBuffered));
        using var content = new TestContent(bytes, isChunked);
        using var response = await site.Client.PostAsync((Uri?)null, content).Within("an answer", deadline: _transfer);
        Assert.Equal(bytes.Hash(), await response.Content.ReadAsStringAsync().Within("its body"));
    }

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

        await using var client = await site.ConnectAsync(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
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
        await using var client = await site.ConnectAsync(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
        await begun.WaitAsync().Within("the application's start");
        await client.SendAsync("2\r\nde\r\n0\r\n\r\n");
        var response = await client.ReadResponseAsync();
        Assert.Equal((200, "none|abcde"), (response.Status, response.Text));
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
}
