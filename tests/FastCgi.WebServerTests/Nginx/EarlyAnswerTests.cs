namespace FastCgi.WebServerTests.Nginx;

/// <summary>
/// Answers to bodies that the application does not read. nginx stops sending the body once it has the head, and may
/// use the connection again.
/// </summary>
public sealed class EarlyAnswerTests(SharedSite shared) : IClassFixture<SharedSite>
{
    private const int Rounds = 10;
    private const int UploadLength = 2_000_000;

    private static readonly TestBytes _answer = new(10_000_000);

    public static MatrixTheoryData<BackEndKind, bool> Ways => new(
        [BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Scgi], [true, false]);

    [Theory, MemberData(nameof(Ways))]
    public async Task A_large_answer_to_an_unread_body_comes_whole(BackEndKind backEnd, bool isBuffered)
    {
        var site = await StartAsync(backEnd, isBuffered);
        await using var client = await site.ConnectAsync(
            $"POST /large HTTP/1.1\r\nHost: h\r\nContent-Length: {UploadLength}\r\n\r\n");
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

    [Theory, MemberData(nameof(Ways))]
    public async Task Each_request_after_an_early_refusal_is_served(BackEndKind backEnd, bool isBuffered)
    {
        var site = await StartAsync(backEnd, isBuffered);
        for (var round = 0; round < Rounds; round++)
        {
            await using var client = await site.ConnectAsync(
                $"POST /refused HTTP/1.1\r\nHost: h\r\nContent-Length: {UploadLength}\r\n\r\n");
            await client.SendAsync(new byte[UploadLength]);
            var refusal = await client.ReadResponseAsync();
            Assert.Equal((413, "too much"), (refusal.Status, refusal.Text));

            var next = await site.AskAsync($"/{round}");
            Assert.Equal((200, $"round {round}"), (next.Status, next.Text));
        }
    }

    private Task<Site> StartAsync(BackEndKind backEnd, bool isBuffered) => shared.StartedAsync(
        () => Site.StartAsync(
            backEnd,
            static app =>
            {
                app.MapPost("/large", async (HttpResponse response) =>
                {
                    response.ContentLength = _answer.Length;
                    await _answer.WriteToAsync(response.Body);
                });
                app.MapPost("/refused", () => Results.Text("too much", statusCode: 413));
                app.MapGet("/{round:int}", (int round) => $"round {round}");
            },
            nginx: new NginxSettings { BuffersRequests = isBuffered, BuffersResponses = isBuffered }),
        (backEnd, isBuffered));
}
