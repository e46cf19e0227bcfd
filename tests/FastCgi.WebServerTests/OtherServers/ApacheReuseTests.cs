namespace FastCgi.WebServerTests.OtherServers;

/// <summary>
/// Apache's mod_proxy_fcgi with <c>enablereuse=on</c>. It leaves a request with its END_REQUEST, whether or not the
/// body had an end, and begins the next under the same id.
/// </summary>
public sealed class ApacheReuseTests
{
    private const int Rounds = 20;
    private const int RequestBodyNotEntirelyRead = 32;
    private const string Get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

    /// <summary>
    /// The client pauses for so long that END_REQUEST comes before the end of the body. Apache, which waits for the
    /// client meanwhile, learns of it with the next piece, and never ends the body.
    /// </summary>
    [Fact]
    public async Task The_request_after_a_body_without_an_end_is_served()
    {
        await using var site = await StartAsync();
        for (var round = 0; round < Rounds; round++)
        {
            await using var client = await site.ConnectAsync(
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n");
            await client.SendAsync(new byte[50_000]);
            await BodiesGivenUpAsync(site, round + 1);
            await client.SendAsync(new byte[50_000]);
            var refusal = await client.ReadResponseAsync();
            Assert.Equal((413, "too much"), (refusal.Status, refusal.Text));

            await ConnectionsEndedAsync(site);
            Assert.StartsWith("here on ", (await site.SendAsync(Get)).Text, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task The_request_after_an_upload_that_was_refused_early_is_served()
    {
        await using var site = await StartAsync();
        for (var round = 0; round < Rounds; round++)
        {
            var givenUp = BodiesGivenUp(site);
            var upload = $"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\n{new string('b', 300_000)}";
            var refusal = await site.SendAsync(upload);
            Assert.Equal((413, "too much"), (refusal.Status, refusal.Text));

            var next = await site.SendAsync(Get);
            if (next.Status == 503 && BodiesGivenUp(site) > givenUp)
            {
                // On a machine too busy to pass the body on in time, its connection ends with the answer; Apache
                // began the request on it before it could see that.
                continue;
            }

            Assert.StartsWith("here on ", next.Text, StringComparison.Ordinal);
        }
    }

    private static int BodiesGivenUp(Site site) =>
        site.App.Log.Entries.Count(entry => entry.EventId.Id == RequestBodyNotEntirelyRead);

    /// <summary>Waits until so many requests in all were ended before their bodies.</summary>
    private static async Task BodiesGivenUpAsync(Site site, int count)
    {
        var seen = 0;
        await site.App.Log.WaitForAsync(
            entry => entry.EventId.Id == RequestBodyNotEntirelyRead && ++seen == count, $"body {count} given up");
    }

    /// <summary>
    /// The server ends a connection right behind END_REQUEST, under its gate. The full status page takes the gates of
    /// all connections: behind it, Apache sees which have ended before it begins a request there.
    /// </summary>
    private static async Task ConnectionsEndedAsync(Site site)
    {
        await using var peer = await ScgiPeer.ConnectAsync(new UnixDomainSocketEndPoint(site.App.ScgiSocketPath));
        var status = await peer.RoundTripAsync(new RequestScript
        {
            Target = "/status?full", ExtraParams = [("REMOTE_ADDR", "127.0.0.1")],
        });
        Assert.Equal(200, status.StatusCode);
    }

    private static Task<Site> StartAsync() => Site.StartAsync(
        app => WebServerProgram.Apache("authz_core", "proxy", "proxy_fcgi").StartAsync($"""
            ProxyPass "/" "unix:{app.SocketPath}|fcgi://app/" enablereuse=on flushpackets=on
            """),
        app =>
        {
            app.MapGet("/", (HttpContext context) =>
                $"here on {context.Features.Get<IFastCgiRequestFeature>()!.ConnectionId}");
            app.MapPost("/", () => Results.Text("too much", statusCode: 413));
        },
        builder =>
        {
            builder.Logging.SetMinimumLevel(LogLevel.Debug);
            builder.Configuration["FastCgi:Status:Path"] = "/status";
            builder.Configuration["FastCgi:Status:AllowedClients"] = "127.0.0.1";
        });
}
