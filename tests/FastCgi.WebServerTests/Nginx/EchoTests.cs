using System.Security.Cryptography;
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

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi)]
    public Task Fifty_megabytes_come_back_when_nginx_buffers_the_request(BackEndKind backEnd) =>
        EchoAsync(backEnd, NginxSettings.Default);

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn)]
    public Task Fifty_megabytes_come_back_when_nginx_passes_the_request_on_at_once(BackEndKind backEnd) =>
        EchoAsync(backEnd, new() { BuffersRequests = false });

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn)]
    public Task Fifty_megabytes_come_back_when_nginx_buffers_nothing(BackEndKind backEnd) =>
        EchoAsync(backEnd, new() { BuffersRequests = false, BuffersResponses = false });

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi)]
    public Task Fifty_megabytes_of_unknown_length_come_back(BackEndKind backEnd) =>
        EchoAsync(backEnd, new() { BuffersRequests = false }, isChunked: true);

    private static async Task EchoAsync(BackEndKind backEnd, NginxSettings nginx, bool isChunked = false)
    {
        await using var site = await StartAsync(backEnd, nginx);
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

    private static Task<Site> StartAsync(BackEndKind backEnd, NginxSettings nginx) => Site.StartAsync(
        backEnd,
        app => app.MapPost("/", (HttpContext context) => context.Request.Body.CopyToAsync(context.Response.Body))
            .WithMetadata(new DisableRequestSizeLimitAttribute()),
        nginx: nginx);
}
