namespace FastCgi.WebServerTests.OtherServers;

/// <summary>
/// HAProxy with <c>option mpxs-conns</c>, the one web server that sends many requests over one connection at once.
/// These tests keep clear of what HAProxy 2.6.12 does wrong: it crashes on a STDERR record and on a response head in
/// two records, hangs on an answer without a head, and answers a chunked upload above 16 KiB with 400. It also answers
/// 500 by itself ("IH" in its log) to a request whose params meet the end of a buffer of 16 KiB in which other bytes
/// still wait, so each begins here when the one before has reached the application, and is sent again when a piece of
/// another's body got before it. And of what it cannot do: once a client has left more unread than its buffers hold,
/// it reads nothing of the shared connection.
/// </summary>
public sealed class HaproxyMultiplexingTests
{
    private const int Clients = 20;

    private readonly ConcurrentBag<(string Connection, int Id)> _seen = [];
    private readonly SemaphoreSlim _here = new(0);
    private readonly TaskCompletionSource _everybodyIsHere = new();

    [Fact]
    public async Task Twenty_clients_of_different_speed_share_a_connection_and_get_their_own_answers()
    {
        await using var site = await StartAsync(app => app.MapPost("/{number:int}", EchoWhenAllAreHereAsync));

        var clients = await BeginAsync(site, Clients);

        AssertShared(Clients);
        _everybodyIsHere.SetResult();
        await Task.WhenAll(clients).Within("all answers", deadline: TimeSpan.FromSeconds(60));
    }

    /// <summary>
    /// The upload may have the id that web servers begin with. Without get-values, HAProxy does not say that it
    /// multiplexes.
    /// </summary>
    /// <param name="isFirst">No request came on the connection before.</param>
    [Theory]
    [InlineData("no option get-values", false)]
    [InlineData("option get-values", true)]
    [InlineData("no option get-values", true)]
    public async Task A_body_that_is_read_late_holds_up_nobody_on_the_connection(string option, bool isFirst)
    {
        SemaphoreSlim arrived = new(0), goOn = new(0);
        await using var site = await StartAsync(
            app =>
            {
                app.MapPost("/late", async (HttpContext context) =>
                {
                    Note(context);
                    arrived.Release();
                    await goOn.WaitAsync(context.RequestAborted);
                    return Convert.ToHexString(await SHA256.HashDataAsync(context.Request.Body));
                });
                app.MapPost("/{number:int}", EchoWhenAllAreHereAsync);
            },
            option,
            warmsUp: !isFirst);

        // Far beyond what the server holds in memory, and what fits into all buffers on the way.
        var bytes = new TestBytes(20_000_000);
        await using var late = await site.ConnectAsync(
            $"POST /late HTTP/1.1\r\nHost: h\r\nContent-Length: {bytes.Length}\r\n\r\n");
        var sent = Task.Run(async () =>
        {
            foreach (var piece in bytes.Pieces())
            {
                await late.SendAsync(piece);
            }
        });
        await arrived.WaitAsync().Within("the late reader in the application");
        Assert.True(!isFirst || _seen.Single().Id == 1);

        await AssertServedMeanwhileAsync(site);

        await sent.Within("the rest of the upload");
        goOn.Release();
        var response = await late.ReadResponseAsync();
        Assert.Equal((200, bytes.Hash()), (response.Status, response.Text));
    }

    [Fact]
    public async Task An_answer_that_its_client_reads_late_holds_up_nobody_while_it_fits_into_haproxy()
    {
        var bytes = new TestBytes(300_000);
        await using var site = await StartAsync(app =>
        {
            app.MapGet("/late", async (HttpContext context) =>
            {
                Note(context);
                context.Response.ContentLength = bytes.Length;
                await bytes.WriteToAsync(context.Response.Body);
            });
            app.MapPost("/{number:int}", EchoWhenAllAreHereAsync);
        });

        await using var late = await site.ConnectAsync("GET /late HTTP/1.1\r\nHost: h\r\n\r\n");
        var head = await late.ReadHeadAsync();

        await AssertServedMeanwhileAsync(site);

        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var body = late.ReadBody(head);
        while (await body.ReadAsync() is { IsEmpty: false } piece)
        {
            hash.AppendData(piece.Span);
        }

        Assert.False(body.IsTorn);
        Assert.Equal(bytes.Hash(), Convert.ToHexString(hash.GetHashAndReset()));
    }

    /// <summary>The other clients are served on the connection.</summary>
    private async Task AssertServedMeanwhileAsync(Site site)
    {
        var others = await BeginAsync(site, Clients - 1);
        AssertShared(Clients);
        _everybodyIsHere.SetResult();
        await Task.WhenAll(others)
            .Within("the others' answers", site.WebServer.ErrorLog.ToString, TimeSpan.FromSeconds(60));
    }

    /// <summary>So many echoes, each begun when the one before has reached the application.</summary>
    private async Task<List<Task>> BeginAsync(Site site, int count)
    {
        var clients = new List<Task>();
        for (var number = 0; number < count; number++)
        {
            var here = _here.WaitAsync();
            var echo = EchoAsync(site, number, here);
            clients.Add(echo);

            // An answer that comes first is HAProxy's own, and says more than that the request did not arrive.
            await await Task.WhenAny(here, echo)
                .Within($"request {number} of {count} in the application", site.WebServer.ErrorLog.ToString);
        }

        return clients;
    }

    private async Task EchoWhenAllAreHereAsync(HttpContext context)
    {
        Note(context);
        _here.Release();
        await _everybodyIsHere.Task.WaitAsync(context.RequestAborted);
        await context.Request.Body.CopyToAsync(context.Response.Body);
    }

    /// <summary>
    /// Sends a body in pieces of a size of its own, and wants exactly this back. As long as the request is not in the
    /// application, HAProxy may answer 500 by itself, twice at most.
    /// </summary>
    private static async Task EchoAsync(Site site, int number, Task isHere)
    {
        var body = new byte[20_000 * (number + 1)];
        new Random(number).NextBytes(body);
        var response = await PostAsync(site, number, body);
        for (var again = 0; again < 2 && IsOfHaproxy(response) && !isHere.IsCompleted; again++)
        {
            response = await PostAsync(site, number, body);
        }

        Assert.Equal((200, false), (response.Status, response.IsTorn));
        Assert.True(response.Body.AsSpan().SequenceEqual(body), $"The echo of {number} differs from what was sent.");
    }

    /// <summary>Its own page, which this server never sends.</summary>
    private static bool IsOfHaproxy(RawResponse response) =>
        response.Status == 500 && response.Text.Contains("An internal server error occurred.", StringComparison.Ordinal);

    private static async Task<RawResponse> PostAsync(Site site, int number, byte[] body)
    {
        await using var client = await site.ConnectAsync(
            $"POST /{number} HTTP/1.1\r\nHost: h\r\nContent-Length: {body.Length}\r\n\r\n");
        try
        {
            foreach (var piece in body.Chunk(997 * (number + 1)))
            {
                await client.SendAsync(piece);
                await Task.Yield();
            }
        }
        catch (SocketException)
        {
            // HAProxy has answered before it read all.
        }

        return await client.ReadResponseAsync();
    }

    private void Note(HttpContext context)
    {
        var request = context.Features.Get<IFastCgiRequestFeature>()!;
        _seen.Add((request.ConnectionId, request.RequestId));
    }

    /// <summary>
    /// Each request came once, and most on one connection: now and then HAProxy opens another one beside it.
    /// </summary>
    private void AssertShared(int requests)
    {
        Assert.Equal(requests, _seen.Count);
        Assert.InRange(_seen.GroupBy(request => request.Connection).Max(group => group.Count()), requests / 2, requests);
    }

    private static async Task<Site> StartAsync(
        Action<WebApplication> configure, string option = "no option get-values", bool warmsUp = true)
    {
        var site = await Site.StartAsync(
            app => WebServerProgram.Haproxy.StartAsync($"""
                fcgi-app app
                    docroot /srv/app
                    option mpxs-conns
                    {option}
                    option max-reqs 100
                    set-param REMOTE_USER -
                backend app
                    use-fcgi-app app
                    http-reuse always
                    server s1 unix@{app.SocketPath} proto fcgi
                """),
            app =>
            {
                app.MapGet("/", () => "here");
                configure(app);
            },
            builder => builder.Services.Configure<FastCgiServerOptions>(
                options => options.Limits.MaxRequestBodySize = null));
        return await site.StartedAsync(async site =>
        {
            if (warmsUp)
            {
                // Requests that meet no connection yet open one each.
                Assert.Equal(200, (await site.AskAsync("/")).Status);
            }
        });
    }
}
