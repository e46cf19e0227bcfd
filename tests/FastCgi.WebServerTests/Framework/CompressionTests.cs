using System.IO.Compression;

namespace FastCgi.WebServerTests.Framework;

public sealed class CompressionTests
{
    private static readonly string _text = string.Concat(Enumerable.Repeat("The same again. ", 10_000));

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task Response_compression_compresses_for_a_client_that_accepts_it(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.UseResponseCompression();
                app.MapGet("/", () => _text);
            },
            builder => builder.Services.AddResponseCompression());

        var response = await site.AskAsync("/", "Accept-Encoding: gzip");
        Assert.Equal(("gzip", "Accept-Encoding"), (response.Header("Content-Encoding"), response.Header("Vary")));
        Assert.InRange(response.Body.Length, 1, _text.Length / 10);
        await using var gzip = new GZipStream(new MemoryStream(response.Body), CompressionMode.Decompress);
        using var reader = new StreamReader(gzip);
        Assert.Equal(_text, await reader.ReadToEndAsync());

        Assert.Equal(_text, (await site.AskAsync("/")).Text);
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task Request_decompression_gives_the_endpoint_plain_text(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.UseRequestDecompression();
                app.MapPost("/", async (HttpRequest request) =>
                {
                    using var reader = new StreamReader(request.Body);
                    return await reader.ReadToEndAsync() == _text ? "the text" : "something else";
                });
            },
            builder => builder.Services.AddRequestDecompression());

        using var content = new ByteArrayContent(Compress(_text));
        content.Headers.ContentEncoding.Add("gzip");
        using var response = await site.Client.PostAsync((Uri?)null, content).Within("an answer");
        Assert.Equal("the text", await response.Content.ReadAsStringAsync().Within("its body"));
    }

    private static byte[] Compress(string text)
    {
        using var bytes = new MemoryStream();
        using (var gzip = new GZipStream(bytes, CompressionLevel.Fastest))
        {
            gzip.Write(Encoding.UTF8.GetBytes(text));
        }

        return bytes.ToArray();
    }
}
