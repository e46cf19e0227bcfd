using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;

namespace FastCgi.WebServerTests.Nginx;

/// <summary>
/// The server writes a piece only when the client has read the one before, so a piece that is held back anywhere is a
/// hang, which the deadline turns into a failure.
/// </summary>
public sealed class StreamingTests
{
    private const int Pieces = 5;

    /// <summary>Over FastCGI nginx is told per answer; before Kestrel its buffering has to be turned off.</summary>
    private static NginxSettings Settings(BackEndKind backEnd) =>
        new() { BuffersResponses = backEnd != BackEndKind.Kestrel };

    [Theory, BackEnds]
    public async Task Server_sent_events_arrive_one_by_one(BackEndKind backEnd)
    {
        var isRead = new SemaphoreSlim(1);
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapGet("/", (CancellationToken aborted) => TypedResults.ServerSentEvents(EventsAsync(aborted))),
            nginx: Settings(backEnd));
        await using var client = await site.ConnectAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");

        var head = await client.ReadHeadAsync();
        Assert.Equal("text/event-stream", head.Value("Content-Type"));
        var body = client.ReadBody(head);
        for (var i = 0; i < Pieces; i++)
        {
            Assert.Equal($"event: count\ndata: {i}\n\n", await ReadAsync(body, "\n\n"));
            isRead.Release();
        }

        Assert.True((await body.ReadAsync()).IsEmpty);
        Assert.False(body.IsTorn);

        async IAsyncEnumerable<SseItem<int>> EventsAsync([EnumeratorCancellation] CancellationToken aborted)
        {
            for (var i = 0; i < Pieces; i++)
            {
                await isRead.WaitAsync(aborted);
                yield return new SseItem<int>(i, "count");
            }
        }
    }

    [Theory, BackEnds]
    public async Task A_head_that_is_flushed_alone_arrives_alone(BackEndKind backEnd)
    {
        var isRead = new SemaphoreSlim(0);
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.Run(async context =>
            {
                context.Response.ContentType = "text/event-stream";
                await context.Response.Body.FlushAsync();
                await isRead.WaitAsync(context.RequestAborted);
                await context.Response.WriteAsync("body");
            }),
            nginx: Settings(backEnd));
        await using var client = await site.ConnectAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        var head = await client.ReadHeadAsync();
        isRead.Release();
        Assert.Equal("body", await ReadAsync(client.ReadBody(head), "body"));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Kestrel)]
    public async Task Request_and_response_flow_at_the_same_time(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapPost("/", async context =>
            {
                var piece = new byte[5];
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
        var body = client.ReadBody(await client.ReadHeadAsync());
        Assert.Equal("pong0", await ReadAsync(body, "0"));
        for (var i = 1; i < Pieces; i++)
        {
            await client.SendAsync($"5\r\npong{i}\r\n");
            Assert.Equal($"pong{i}", await ReadAsync(body, $"{i}"));
        }
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
