namespace FastCgi.WebServerTests.Nginx;

/// <summary>Responses beyond those of the rows of Matrix and Equality.</summary>
public sealed class ResponseTests
{
    /// <summary>Reads in small pieces, so that an item is given out as soon as it is there.</summary>
    private static readonly JsonSerializerOptions s_small = new() { DefaultBufferSize = 64 };

    [Theory, BackEnds]
    public async Task A_large_file_arrives_unchanged(BackEndKind backEnd)
    {
        using var directory = new WorkDirectory();
        var bytes = new TestBytes(50_000_000);
        await using (var file = File.Create(directory.File("file")))
        {
            await bytes.WriteToAsync(file);
        }

        await using var site = await Site.StartAsync(
            backEnd, app => app.MapGet("/", () => Results.File(directory.File("file"), "text/x-test")));
        await using var body = await site.Client.GetStreamAsync((Uri?)null).Within("an answer");
        var hash = await SHA256.HashDataAsync(body).AsTask().Within("its body", deadline: TimeSpan.FromSeconds(60));
        Assert.Equal(bytes.Hash(), Convert.ToHexString(hash));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi)]
    public async Task A_head_beyond_nginx_s_buffer_is_warned_of_by_the_name_of_the_setting(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.Run(context =>
            {
                context.Response.Headers["X-Large"] = new string('x', 10_000);
                return context.Response.WriteAsync("whole");
            }),
            nginx: new NginxSettings { ResponseHeadBuffer = "4k" });
        var response = await site.AskAsync("/");

        Assert.Equal(502, response.Status);
        await site.WebServer.ErrorLog.WaitForAsync("upstream sent too big header");
        await site.Log.WaitForAsync(
            entry => entry.Message.Contains("fastcgi_buffer_size", StringComparison.Ordinal), "the warning");
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task An_async_stream_of_JSON_arrives_item_by_item(BackEndKind backEnd)
    {
        const int Items = 4;
        var isRead = new SemaphoreSlim(0);
        await using var site = await Site.StartAsync(
            backEnd, app => app.MapGet("/", () => ItemsAsync()), nginx: new NginxSettings { BuffersResponses = false });
        await using var body = await site.Client.GetStreamAsync((Uri?)null).Within("an answer");

        // The serializer flushes what it has when the next item is not ready at once.
        await using var items = JsonSerializer.DeserializeAsyncEnumerable<string>(body, s_small).GetAsyncEnumerator();
        for (var i = 0; i < Items; i++)
        {
            Assert.True(await items.MoveNextAsync().AsTask().Within($"item {i}"));
            Assert.StartsWith($"{i} ", items.Current, StringComparison.Ordinal);
            isRead.Release();
        }

        Assert.False(await items.MoveNextAsync().AsTask().Within("the end"));

        async IAsyncEnumerable<string> ItemsAsync()
        {
            for (var i = 0; i < Items; i++)
            {
                yield return $"{i} {new string('x', 100)}";
                await isRead.WaitAsync().Within("the client's reading");
            }
        }
    }
}
