using FastCgi.WebServerTests.Rows;
using static FastCgi.WebServerTests.Matrix.MatrixRow;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>What happens in time: pieces, ends, clients that leave, connections, restarts.</summary>
internal static class ConnectionRows
{
    private const int OneByOne = 200;
    private const int AtOnce = 20;

    /// <summary>In bytes; the bodies of the requests at once have one to twenty of it.</summary>
    private const int LengthUnit = 1000;

    /// <summary>
    /// So small that all requests at once fit into one buffer of HAProxy, 16 KiB. On a shared connection HAProxy
    /// 2.6 itself answers 500 to a request whose params meet the end of a buffer.
    /// </summary>
    private const int LengthUnitWhereHaproxyMultiplexes = 10;

    /// <summary>Between two questions whether the application is there again.</summary>
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(20);

    private const string NotNoticed = "not noticed";
    private const string NotAsked = "the application is not asked";

    public static IReadOnlyList<Row> All { get; } =
    [
        Of("response in pieces, each as it is made", PiecesAsync, "every piece in time"),
        Of("response broken off", site => TornAsync(site, hasLength: false), "torn")
            .But(
                [
                    .. MatrixColumns.NginxScgiByUnix, .. MatrixColumns.ApacheFcgid, .. MatrixColumns.Caddy,
                    .. MatrixColumns.H2o,
                ],
                "looks whole",
                "It takes the end of the connection for the end of the response. Set a Content-Length where half a "
                + "response must not pass for a whole one."),
        Of("response broken off, with a length", site => TornAsync(site, hasLength: true), "torn"),
        Of("client leaves before the answer", LeaveBeforeAsync, "noticed")
            .But(
                [.. MatrixColumns.All.Except(MatrixColumns.Nginx).Except(MatrixColumns.NginxScgi)], NotNoticed,
                "The web server does not look at its client while the application is silent. RequestAborted fires "
                + "when the application sends something, or not at all."),
        Of("client leaves during a download", LeaveDuringDownloadAsync, "noticed"),
        Of("client leaves during its upload", LeaveDuringUploadAsync, "noticed")
            .But(
                [
                    .. MatrixColumns.Nginx.Except(MatrixColumns.NginxUnbuffered), .. MatrixColumns.NginxScgi,
                    .. MatrixColumns.ApacheFcgid, .. MatrixColumns.Lighttpd, .. MatrixColumns.H2o,
                ],
                NotAsked,
                "The web server reads the whole body before it asks the application, which so never sees half of one. "
                + "nginx passes it on as it comes with `fastcgi_request_buffering off`, lighttpd with "
                + "`server.stream-request-body`."),
        Of("connection is used again", ReuseAsync, "the same connection")
            .But(
                [
                    .. MatrixColumns.NginxWithoutKeepConn, .. MatrixColumns.NginxScgi, .. MatrixColumns.ApacheFcgid,
                    .. MatrixColumns.Lighttpd, .. MatrixColumns.Caddy, .. MatrixColumns.H2o,
                ],
                "a new connection",
                "The web server opens a connection for each request; nginx does so without `fastcgi_keep_conn on`, and "
                + "always with SCGI. h2o 2.2.5 fails where it keeps connections."),
        Of("WebSocket", WebSocketAsync, "echoed")
            .But(
                [.. MatrixColumns.All.Except(MatrixColumns.NginxScgi)], "refused",
                "No web server of Debian 12 passes an upgrade on by FastCGI, so the application is told of none. "
                + "lighttpd does from 1.4.74 on."),
        Of("two hundred requests, one after the other", OneByOneAsync, $"{OneByOne} right"),
        Of("twenty requests at once", AtOnceAsync, $"{AtOnce} right"),
        Of("application ends and is started again", RestartAsync, "served again"),
    ];

    private static async Task<string> PiecesAsync(MatrixSite site)
    {
        using var gate = new TestGate();
        await using var client = await site.ConnectAsync(Request("GET", $"/pieces?gate={gate.Port}"));
        await gate.OpenAsync(site.Log);

        var body = client.ReadBody(await client.ReadHeadAsync());
        for (var i = 0; i < MatrixContent.Pieces; i++)
        {
            var text = "";
            while (!text.EndsWith(';'))
            {
                var piece = await body.ReadAsync();
                if (piece.IsEmpty)
                {
                    return $"ended after {i} pieces and '{text}'";
                }

                text += Encoding.ASCII.GetString(piece.Span);
            }

            Assert.Equal($"piece {i};", text);
            gate.GoOn();
        }

        return (await body.ReadAsync()).IsEmpty && !body.IsTorn ? "every piece in time" : "a wrong end";
    }

    /// <summary>The client has the beginning when the application gives up.</summary>
    private static async Task<string> TornAsync(MatrixSite site, bool hasLength)
    {
        using var gate = new TestGate();
        await using var client = await site.ConnectAsync(
            Request("GET", $"/torn?gate={gate.Port}&hasLength={hasLength}"));
        await gate.OpenAsync(site.Log);

        var body = client.ReadBody(await client.ReadHeadAsync());
        Assert.False((await body.ReadAsync()).IsEmpty);
        gate.GoOn();
        while (!(await body.ReadAsync()).IsEmpty)
        {
        }

        return body.IsTorn ? "torn" : "looks whole";
    }

    private static async Task<string> LeaveBeforeAsync(MatrixSite site)
    {
        using var gate = new TestGate();
        await using (var client = await site.ConnectAsync(Request("GET", $"/wait?gate={gate.Port}")))
        {
            await gate.OpenAsync(site.Log);
            Assert.Equal(Gate.Arrived, await gate.NewsAsync(MatrixSite.Patience));
        }

        return Noticed(await gate.NewsAsync(site.PatienceWith("client leaves before the answer")));
    }

    private static async Task<string> LeaveDuringDownloadAsync(MatrixSite site)
    {
        using var gate = new TestGate();
        await using (var client = await site.ConnectAsync(Request("GET", $"/download?gate={gate.Port}")))
        {
            await gate.OpenAsync(site.Log);
            Assert.False((await client.ReadBody(await client.ReadHeadAsync()).ReadAsync()).IsEmpty);
        }

        return Noticed(await gate.NewsAsync(site.PatienceWith("client leaves during a download")));
    }

    private static async Task<string> LeaveDuringUploadAsync(MatrixSite site)
    {
        using var gate = new TestGate();
        await using (var client = await site.ConnectAsync())
        {
            await client.SendAsync(Request("POST", $"/upload?gate={gate.Port}", "Content-Length: 1000000"));
            await client.SendAsync(new byte[100_000]);
            if (!await gate.TryOpenAsync(site.PatienceWith("client leaves during its upload")))
            {
                return NotAsked;
            }

            Assert.Equal(Gate.Arrived, await gate.NewsAsync(MatrixSite.Patience));
        }

        return Noticed(await gate.NewsAsync(site.PatienceWith("client leaves during its upload")));
    }

    private static string Noticed(byte? news) => news switch
    {
        Gate.Left => "noticed",
        Gate.Ended => "the application ends and never knows",
        _ => NotNoticed,
    };

    private static async Task<string> WebSocketAsync(MatrixSite site)
    {
        using var socket = new ClientWebSocket();
        try
        {
            await socket.ConnectAsync(site.WebSocketUri, CancellationToken.None)
                .Within("the handshake", site.Log, MatrixSite.Patience);
        }
        catch (WebSocketException)
        {
            return "refused";
        }

        var buffer = new byte[16];
        await socket.SendAsync("echo"u8.ToArray(), WebSocketMessageType.Text, endOfMessage: true, CancellationToken.None)
            .Within("the message", site.Log, MatrixSite.Patience);
        var received = await socket.ReceiveAsync(buffer, CancellationToken.None)
            .Within("its echo", site.Log, MatrixSite.Patience);
        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None)
            .Within("the close", site.Log, MatrixSite.Patience);
        return buffer.AsSpan(0, received.Count).SequenceEqual("echo"u8) ? "echoed" : "something else";
    }

    /// <summary>
    /// Ten requests, since a web server may keep the connection only a moment after its client has the answer: the next
    /// request may find it not there yet.
    /// </summary>
    private static async Task<string> ReuseAsync(MatrixSite site)
    {
        var connections = new HashSet<string>();
        for (var i = 0; i < 10; i++)
        {
            if (!connections.Add(await site.SeenAsync(Request("GET", "/"), static seen => seen.ConnectionId)))
            {
                return "the same connection";
            }
        }

        return "a new connection";
    }

    private static async Task<string> OneByOneAsync(MatrixSite site)
    {
        var right = 0;
        for (var i = 0; i < OneByOne; i++)
        {
            var seen = await site.SeenAsync(Request("GET", $"/{i}"), seen => seen.Path);
            right += seen == $"/{i}" ? 1 : 0;
        }

        return $"{right} right";
    }

    private static async Task<string> AtOnceAsync(MatrixSite site)
    {
        var unit = MatrixColumns.HaproxyMultiplexing.Contains(site.Column)
            ? LengthUnitWhereHaproxyMultiplexes
            : LengthUnit;
        var lengths = await Task.WhenAll(Enumerable.Range(1, AtOnce).Select(async length =>
        {
            using var content = new TestContent(new TestBytes(length * unit));
            using var answer = await site.Client.PostAsync(new Uri("/", UriKind.Relative), content);
            return answer.IsSuccessStatusCode ? (await answer.Content.ReadFromJsonAsync<Seen>())!.BodyLength : 0;
        })).Within("the answers", site.Log, MatrixSite.Patience);
        return $"{lengths.Where((length, i) => length == (i + 1) * unit).Count()} right";
    }

    private static async Task<string> RestartAsync(MatrixSite site)
    {
        if (site.Column.Reach == MatrixReach.Started)
        {
            using var stopped = await site.Client.PostAsync("/stop", null).Within("the answer", site.Log, MatrixSite.Patience);
            return await IsServedAgainAsync(site.Client, site.Log);
        }

        await using var restarting = await site.StartRestartingAsync();
        using var client = TestClient.Create(restarting.EndPoint);
        Assert.Equal(200, await StatusAsync(client, restarting.Log));
        await restarting.EndAppAsync();
        Assert.Contains(await StatusAsync(client, restarting.Log), (int[])[502, 503]);
        await restarting.StartAppAsync();
        return await IsServedAgainAsync(client, restarting.Log);
    }

    /// <summary>Asks until the application is there; a web server may think for a moment that it still is not.</summary>
    private static async Task<string> IsServedAgainAsync(HttpClient client, Func<string> log)
    {
        var started = TimeProvider.System.GetTimestamp();
        while (await StatusAsync(client, log) != StatusCodes.Status200OK)
        {
            if (TimeProvider.System.GetElapsedTime(started) > Deadline.Of(MatrixSite.Patience))
            {
                return "not served";
            }

            // lighttpd thinks so for seconds, and refuses thousands of requests in each of them.
            await Task.Delay(s_pause);
        }

        return "served again";
    }

    private static async Task<int> StatusAsync(HttpClient client, Func<string> log)
    {
        using var answer = await client.GetAsync("/text").Within("the answer", log, MatrixSite.Patience);
        return (int)answer.StatusCode;
    }
}
