using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Security.Cryptography;

namespace FastCgi.WebServerTests.Nginx;

public sealed class DownloadTests
{
    private const long FiftyMegabytes = 50_000_000;

    private static readonly TimeSpan _transfer = TimeSpan.FromSeconds(60);

    [Theory, BackEnds]
    public Task A_large_answer_with_a_length_arrives_unchanged(BackEndKind backEnd) =>
        DownloadAsync(backEnd, hasLength: true, NginxSettings.Default);

    [Theory, BackEnds]
    public Task A_large_answer_without_a_length_arrives_unchanged(BackEndKind backEnd) =>
        DownloadAsync(backEnd, hasLength: false, NginxSettings.Default);

    [Theory, BackEnds]
    public Task A_large_answer_arrives_unchanged_without_buffering_in_nginx(BackEndKind backEnd) =>
        DownloadAsync(backEnd, hasLength: true, new NginxSettings { BuffersResponses = false });

    [Theory, BackEnds]
    public async Task A_large_file_arrives_unchanged(BackEndKind backEnd)
    {
        using var directory = new WorkDirectory();
        var bytes = await WriteFileAsync(directory, FiftyMegabytes);
        await using var site = await Site.StartAsync(backEnd, Serve(directory));
        Assert.Equal(bytes.Hash(), await HashAsync(site.Client, "file"));
    }

    [Theory, BackEnds]
    public async Task A_slow_reader_gets_everything(BackEndKind backEnd)
    {
        var bytes = new TestBytes(5_000_000);
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.Run(context => bytes.WriteToAsync(context.Response.Body, context.RequestAborted)),
            nginx: new NginxSettings { BuffersResponses = false });
        await using var client = await site.ConnectAsync();
        await client.SendAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");

        var body = client.ReadBody(await client.ReadHeadAsync());
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        while (await body.ReadAsync() is { IsEmpty: false } piece)
        {
            hash.AppendData(piece.Span);
            await Task.Yield();
        }

        Assert.False(body.IsTorn);
        Assert.Equal(bytes.Hash(), Convert.ToHexString(hash.GetHashAndReset()));
    }

    [Theory, BackEnds]
    public async Task A_range_of_a_file_is_that_range(BackEndKind backEnd)
    {
        using var directory = new WorkDirectory();
        await WriteFileAsync(directory, 100_000);
        var file = await File.ReadAllBytesAsync(directory.File("file"));
        await using var site = await Site.StartAsync(backEnd, Serve(directory));
        (long? From, long? To, Range Expected)[] cases =
        [
            (0, 0, 0..1), (10, 19, 10..20), (99_999, null, ^1..), (null, 500, ^500..), (50_000, 200_000, 50_000..),
        ];
        foreach (var (from, to, expected) in cases)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, "file");
            request.Headers.Range = new RangeHeaderValue(from, to);
            using var response = await site.Client.SendAsync(request).Within("an answer");
            Assert.Equal(HttpStatusCode.PartialContent, response.StatusCode);
            Assert.Equal(file[expected], await response.Content.ReadAsByteArrayAsync().Within("its body"));
            Assert.Equal(file.Length, response.Content.Headers.ContentRange?.Length);
        }
    }

    [Theory, BackEnds]
    public async Task A_range_beyond_the_file_cannot_be_satisfied(BackEndKind backEnd)
    {
        using var directory = new WorkDirectory();
        await WriteFileAsync(directory, 1000);
        await using var site = await Site.StartAsync(backEnd, Serve(directory));
        var response = await site.SendAsync("GET /file HTTP/1.1\r\nHost: h\r\nRange: bytes=1000-\r\n\r\n");
        Assert.Equal((416, "bytes */1000"), (response.Status, response.Header("Content-Range")));
    }

    [Theory, BackEnds]
    public async Task HEAD_gives_the_length_and_no_body(BackEndKind backEnd)
    {
        using var directory = new WorkDirectory();
        await WriteFileAsync(directory, 123_456);
        await using var site = await Site.StartAsync(backEnd, Serve(directory));
        await using var client = await site.ConnectAsync();

        // The second request proves that no byte of a body stands between.
        for (var i = 0; i < 2; i++)
        {
            await client.SendAsync("HEAD /file HTTP/1.1\r\nHost: h\r\n\r\n");
            var response = await client.ReadResponseAsync(isHead: true);
            Assert.Equal((200, 123_456L), (response.Status, response.Head.ContentLength));
        }
    }

    [Theory, BackEnds]
    public async Task What_the_application_writes_for_HEAD_stays_unsent(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd, app => app.Run(context => context.Response.WriteAsync("body")));
        await using var client = await site.ConnectAsync();
        await client.SendAsync("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal(200, (await client.ReadResponseAsync(isHead: true)).Status);
        await client.SendAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal("body", (await client.ReadResponseAsync()).Text);
    }

    [Theory, BackEnds]
    public async Task An_unchanged_file_is_304_by_tag_and_by_date(BackEndKind backEnd)
    {
        using var directory = new WorkDirectory();
        await WriteFileAsync(directory, 1000);
        await using var site = await Site.StartAsync(backEnd, Serve(directory));
        var whole = await site.SendAsync("GET /file HTTP/1.1\r\nHost: h\r\n\r\n");
        string[] conditions =
        [
            $"If-None-Match: {whole.Header("ETag")}",
            $"If-Modified-Since: {whole.Header("Last-Modified")}",
        ];
        await using var client = await site.ConnectAsync();
        foreach (var condition in conditions)
        {
            await client.SendAsync($"GET /file HTTP/1.1\r\nHost: h\r\n{condition}\r\n\r\n");
            var response = await client.ReadResponseAsync();
            Assert.Equal((304, 0), (response.Status, response.Body.Length));
            Assert.Equal(whole.Header("ETag"), response.Header("ETag"));
        }
    }

    [Theory, BackEnds]
    public async Task An_answer_without_a_body_leaves_the_connection_usable(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd, app => app.MapGet("/{status:int}", (int status) => Results.StatusCode(status)));
        await using var client = await site.ConnectAsync();
        foreach (var status in (int[])[204, 304, 205, 204, 200])
        {
            await client.SendAsync($"GET /{status.ToString(CultureInfo.InvariantCulture)} HTTP/1.1\r\nHost: h\r\n\r\n");
            var response = await client.ReadResponseAsync();
            Assert.Equal((status, 0, false), (response.Status, response.Body.Length, response.IsTorn));
        }
    }

    private static async Task DownloadAsync(BackEndKind backEnd, bool hasLength, NginxSettings nginx)
    {
        var bytes = new TestBytes(FiftyMegabytes);
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.Run(context =>
            {
                context.Response.ContentLength = hasLength ? bytes.Length : null;
                return bytes.WriteToAsync(context.Response.Body, context.RequestAborted);
            }),
            nginx: nginx);
        Assert.Equal(bytes.Hash(), await HashAsync(site.Client, ""));
    }

    private static async Task<string> HashAsync(HttpClient client, string target)
    {
        await using var body = await client.GetStreamAsync(new Uri(target, UriKind.Relative)).Within("an answer");
        return Convert.ToHexString(await SHA256.HashDataAsync(body).AsTask().Within("its body", deadline: _transfer));
    }

    private static async Task<TestBytes> WriteFileAsync(WorkDirectory directory, long length)
    {
        var bytes = new TestBytes(length);
        await using var file = File.Create(directory.File("file"));
        await bytes.WriteToAsync(file);
        return bytes;
    }

    private static Action<WebApplication> Serve(WorkDirectory directory) => app =>
        app.MapMethods("/file", ["GET", "HEAD"], () =>
        {
            var path = directory.File("file");
            var file = new FileInfo(path);
            var tag = new Microsoft.Net.Http.Headers.EntityTagHeaderValue($"\"{file.Length:x}\"");
            return Results.File(
                path, "text/x-test", lastModified: file.LastWriteTimeUtc, entityTag: tag, enableRangeProcessing: true);
        });
}
