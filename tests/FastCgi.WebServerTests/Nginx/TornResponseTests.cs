namespace FastCgi.WebServerTests.Nginx;

/// <summary>Half a page must never look like a whole one: it would be shown, and cached, as such.</summary>
public sealed class TornResponseTests
{
    /// <summary>SCGI over a unix socket has no way to say it without a length, see docs/websockets.md.</summary>
    public static TheoryData<BackEndKind, bool, bool, bool> Cases =>
    [
        .. from backEnd in Enum.GetValues<BackEndKind>()
        from byException in (bool[])[true, false]
        from hasLength in (bool[])[true, false]
        from isBuffered in (bool[])[true, false]
        where backEnd != BackEndKind.Scgi || hasLength
        select (backEnd, byException, hasLength, isBuffered),
    ];

    [Theory, MemberData(nameof(Cases))]
    public async Task A_response_that_the_application_breaks_off_is_torn_for_the_client(
        BackEndKind backEnd, bool byException, bool hasLength, bool isBuffered)
    {
        await using var site = await Site.StartAsync(
            backEnd, Breaking(byException, hasLength), nginx: new NginxSettings { BuffersResponses = isBuffered });
        if (byException)
        {
            site.Log.ExpectError(eventId: 13);
        }

        AssertTorn(await site.TrySendAsync("GET /torn HTTP/1.1\r\nHost: h\r\n\r\n"));

        // The next one is whole.
        var response = await site.SendAsync("GET /whole HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal((200, "whole", false), (response.Status, response.Text, response.IsTorn));
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

    private static Action<WebApplication> Breaking(bool byException, bool hasLength) => app =>
    {
        app.MapGet("/whole", () => "whole");
        app.MapGet("/torn", async context =>
        {
            context.Response.ContentLength = hasLength ? 200_000 : null;
            await context.Response.Body.WriteAsync(new byte[100_000]);
            await context.Response.Body.FlushAsync();
            if (byException)
            {
                throw new InvalidOperationException("The test's own.");
            }

            context.Abort();
        });
    };
}
