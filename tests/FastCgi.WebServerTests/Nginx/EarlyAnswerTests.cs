using System.Security.Cryptography;

namespace FastCgi.WebServerTests.Nginx;

/// <summary>
/// Answers to bodies that the application does not read. nginx stops sending the body once it has the head, and may
/// use the connection again.
/// </summary>
public sealed class EarlyAnswerTests
{
    private const int Rounds = 10;
    private const int UploadLength = 2_000_000;

    private static readonly NginxSettings _unbuffered = new() { BuffersRequests = false, BuffersResponses = false };

    private readonly TestBytes _answer = new(10_000_000);

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi)]
    public Task A_large_answer_to_an_unread_body_comes_whole_when_nginx_buffers(BackEndKind backEnd) =>
        AnswerUnreadAsync(backEnd, NginxSettings.Default);

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi)]
    public Task A_large_answer_to_an_unread_body_comes_whole_when_nginx_buffers_nothing(BackEndKind backEnd) =>
        AnswerUnreadAsync(backEnd, _unbuffered);

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi)]
    public Task Each_request_after_an_early_refusal_is_served_when_nginx_buffers(BackEndKind backEnd) =>
        RefuseAsync(backEnd, NginxSettings.Default);

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi)]
    public Task Each_request_after_an_early_refusal_is_served_when_nginx_buffers_nothing(BackEndKind backEnd) =>
        RefuseAsync(backEnd, _unbuffered);

    private async Task AnswerUnreadAsync(BackEndKind backEnd, NginxSettings nginx)
    {
        await using var site = await StartAsync(backEnd, nginx);
        await using var client = await site.ConnectAsync();
        await client.SendAsync($"POST /large HTTP/1.1\r\nHost: h\r\nContent-Length: {UploadLength}\r\n\r\n");
        var upload = client.SendAsync(new byte[UploadLength]);

        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var head = await client.ReadHeadAsync();
        Assert.Equal(200, head.Status);
        var body = client.ReadBody(head);
        while (await body.ReadAsync() is { IsEmpty: false } piece)
        {
            hash.AppendData(piece.Span);
        }

        Assert.False(body.IsTorn);
        Assert.Equal(_answer.Hash(), Convert.ToHexString(hash.GetHashAndReset()));

        // What of the body nobody wanted goes to nginx, which throws it away, or nowhere.
        await Record.ExceptionAsync(() => upload).AsTask().Within("the end of the upload");
    }

    private async Task RefuseAsync(BackEndKind backEnd, NginxSettings nginx)
    {
        await using var site = await StartAsync(backEnd, nginx);
        for (var round = 0; round < Rounds; round++)
        {
            await using var client = await site.ConnectAsync();
            await client.SendAsync($"POST /refused HTTP/1.1\r\nHost: h\r\nContent-Length: {UploadLength}\r\n\r\n");
            await client.SendAsync(new byte[UploadLength]);
            var refusal = await client.ReadResponseAsync();
            Assert.Equal((413, "too much"), (refusal.Status, refusal.Text));

            var next = await site.SendAsync($"GET /{round} HTTP/1.1\r\nHost: h\r\n\r\n");
            Assert.Equal((200, $"round {round}"), (next.Status, next.Text));
        }
    }

    private Task<Site> StartAsync(BackEndKind backEnd, NginxSettings nginx) => Site.StartAsync(
        backEnd,
        app =>
        {
            app.MapPost("/large", async (HttpResponse response) =>
            {
                response.ContentLength = _answer.Length;
                await _answer.WriteToAsync(response.Body);
            });
            app.MapPost("/refused", () => Results.Text("too much", statusCode: 413));
            app.MapGet("/{round:int}", (int round) => $"round {round}");
        },
        nginx: nginx);
}
