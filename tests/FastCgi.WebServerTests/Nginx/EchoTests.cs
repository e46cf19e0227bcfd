using Microsoft.AspNetCore.Mvc;

namespace FastCgi.WebServerTests.Nginx;

/// <summary>
/// Answers that are written while the request body is still arriving. nginx stops sending the body once the head of
/// the answer has passed, so a server that lets it go at the first flush hangs here, as Kestrel does.
/// </summary>
public sealed class EchoTests
{
    private const long FiftyMegabytes = 50_000_000;

    private static readonly TimeSpan _transfer = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData(BackEndKind.FastCgi, true, true, false)]
    [InlineData(BackEndKind.FastCgi, false, true, false)]
    [InlineData(BackEndKind.FastCgi, false, false, false)]
    [InlineData(BackEndKind.FastCgi, false, true, true)]
    [InlineData(BackEndKind.FastCgiWithoutKeepConn, true, true, false)]
    [InlineData(BackEndKind.FastCgiWithoutKeepConn, false, true, false)]
    [InlineData(BackEndKind.FastCgiWithoutKeepConn, false, false, false)]
    [InlineData(BackEndKind.FastCgiWithoutKeepConn, false, true, true)]
    [InlineData(BackEndKind.Scgi, true, true, false)]
    [InlineData(BackEndKind.Scgi, false, true, true)]
    public async Task Fifty_megabytes_come_back(
        BackEndKind backEnd, bool buffersRequests, bool buffersResponses, bool isChunked)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            static app => app.MapPost("/", static context => context.Request.Body.CopyToAsync(context.Response.Body))
                .WithMetadata(new DisableRequestSizeLimitAttribute()),
            nginx: new NginxSettings { BuffersRequests = buffersRequests, BuffersResponses = buffersResponses });
        var bytes = new TestBytes(FiftyMegabytes);
        using var content = new TestContent(bytes, isChunked);
        using var request = new HttpRequestMessage(HttpMethod.Post, (Uri?)null) { Content = content };
        using var response = await site.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead)
            .Within("an answer", deadline: _transfer);
        Assert.Equal(200, (int)response.StatusCode);

        await using var body = await response.Content.ReadAsStreamAsync();
        var hash = await SHA256.HashDataAsync(body).AsTask().Within("its body", deadline: _transfer);
        Assert.Equal(bytes.Hash(), Convert.ToHexString(hash));
    }

    /// <summary>The start of the answer and the bytes behind it are flushed together, at the end of the text.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_long_text_is_written_in_the_middle_of_an_upload(bool buffersRequests)
    {
        const int Upload = 20_000_000;
        await using var site = await Site.StartAsync(
            BackEndKind.FastCgi,
            static app => app.Run(static async context =>
            {
                long length = await context.Request.Body.ReadAsync(new byte[1000]);
                await context.Response.WriteAsync(new string('x', 100_000));
                while (await context.Request.Body.ReadAsync(new byte[100_000]) is > 0 and var read)
                {
                    length += read;
                }

                await context.Response.WriteAsync($"{length}");
            }),
            nginx: new NginxSettings { BuffersRequests = buffersRequests });
        using var content = new ByteArrayContent(new byte[Upload]);

        using var response = await site.Client.PostAsync((Uri?)null, content).Within("an answer", deadline: _transfer);

        var text = await response.Content.ReadAsStringAsync().Within("its body", deadline: _transfer);
        Assert.Equal($"x{Upload}", text[99_999..]);
    }
}
