namespace FastCgi.WebServerTests.Nginx;

/// <summary>Half a page must never look like a whole one: it would be shown, and cached, as such.</summary>
public sealed class TornResponseTests
{
    public static MatrixTheoryData<BackEndKind, bool> Cases => new(Enum.GetValues<BackEndKind>(), [true, false]);

    /// <summary>SCGI over a unix socket has no way to say it without a length, see docs/websockets.md.</summary>
    [Theory, MemberData(nameof(Cases))]
    public async Task A_response_that_the_application_breaks_off_is_torn_for_the_client(BackEndKind backEnd, bool isBuffered)
    {
        await using var site = await Site.StartAsync(
            backEnd, Breaking, nginx: new NginxSettings { BuffersResponses = isBuffered });
        site.Log.ExpectError(eventId: 13);
        foreach (var way in (string[])["exception", "abort"])
        {
            AssertTorn(await site.TrySendAsync($"GET /torn/{way}/200000 HTTP/1.1\r\nHost: h\r\n\r\n"));
            if (backEnd != BackEndKind.Scgi)
            {
                AssertTorn(await site.TrySendAsync($"GET /torn/{way}/ HTTP/1.1\r\nHost: h\r\n\r\n"));
            }

            var next = await site.AskAsync("/whole");
            Assert.Equal((200, "whole", false), (next.Status, next.Text, next.IsTorn));
        }
    }

    [Theory, BackEnds]
    public async Task Fewer_bytes_than_announced_are_torn(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, app => app.Run(async context =>
        {
            context.Response.ContentLength = 100_000;
            await context.Response.Body.WriteAsync(new byte[50_000]);
        }));
        site.Log.ExpectError(eventId: 13);
        AssertTorn(await site.TrySendAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    }

    /// <summary>nginx ends the connection without a word when it still held the head back.</summary>
    private static void AssertTorn(RawResponse? response) => Assert.True(
        response is null or { Status: 200, IsTorn: true }, $"{response?.Status}, {response?.Body.Length} bytes, whole");

    private static void Breaking(WebApplication app)
    {
        app.MapGet("/whole", () => "whole");
        app.MapGet("/torn/{way}/{length:int?}", async (HttpContext context, string way, int? length) =>
        {
            context.Response.ContentLength = length;
            await context.Response.Body.WriteAsync(new byte[100_000]);
            await context.Response.Body.FlushAsync();
            if (way == "exception")
            {
                throw new InvalidOperationException("The test's own.");
            }

            context.Abort();
        });
    }
}
