using System.Security.Cryptography;

namespace FastCgi.FunctionalTests.Scgi;

/// <summary>One request on an SCGI connection, and its answer.</summary>
public sealed class ScgiRequestTests : ScgiTest
{
    public static MatrixTheoryData<ServerTransport, bool> Breaks { get; } = new(Transports.All, [false, true]);

    [Theory, ClassData(typeof(Transports))]
    public async Task A_request_is_answered_by_bytes_and_the_end_of_the_stream(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(transport, context =>
        {
            var text = context.Request.Method + context.Request.Path;
            context.Response.ContentLength = text.Length;
            return context.Response.WriteAsync(text);
        });

        await peer.SendAsync(Get("/a?b"));

        await peer.ExpectTextAsync("Content-Length: 5\r\nStatus: 200 OK\r\n\r\nGET/a");
        await peer.ExpectEndOfStreamAsync();
        await AssertServesAnotherAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S1")]
    public async Task A_request_may_be_cut_anywhere(ServerTransport transport)
    {
        await StartScgiAsync(transport, EchoAsync);
        var request = ScgiPeer.Request(Post("the body"));
        foreach (var cut in Enumerable.Range(1, request.Length - 1))
        {
            var peer = await ConnectScgiAsync();
            await peer.SendAsync(request.AsMemory(0, cut));
            await peer.SendAsync(request.AsMemory(cut));
            Assert.Equal("the body", (await peer.ExpectResponseAsync()).BodyText);
        }
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_large_body_goes_both_ways(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(transport, async context =>
        {
            using var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body);
            await context.Response.Body.WriteAsync(body.ToArray());
        });
        var sent = RandomNumberGenerator.GetBytes(5_000_000);

        Assert.Equal(sent, (await peer.RoundTripAsync(Post(sent))).Body);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_file_is_sent_without_records(ServerTransport transport)
    {
        var path = Path.Combine(Folder, "file");
        var content = RandomNumberGenerator.GetBytes(300_000);
        await File.WriteAllBytesAsync(path, content);
        var peer = await StartAndConnectScgiAsync(transport, async context =>
        {
            await context.Response.WriteAsync("in front ");
            await context.Response.SendFileAsync(path);
            await context.Response.WriteAsync(" behind");
        });

        var response = await peer.RoundTripAsync(Get());

        Assert.Equal([.. "in front "u8, .. content, .. " behind"u8], response.Body);
    }

    [Fact]
    public async Task The_params_are_the_features()
    {
        var peer = await StartAndConnectScgiAsync(async context =>
        {
            var feature = context.Features.Get<IFastCgiRequestFeature>()!;
            Assert.True(feature.TryGetParameter("SCGI", out var scgi));
            var text = $"{Encoding.ASCII.GetString(scgi)} {feature.Protocol} {feature.Role} " +
                $"{feature.KeepConnection} {context.Connection.RemoteIpAddress} {context.Request.Headers["X-Mine"]}";

            // There is no such stream, and nothing of it gets into the answer.
            await feature.WriteErrorAsync("text for the error log"u8.ToArray());
            await context.Response.WriteAsync(text);
        });

        var response = await peer.RoundTripAsync(Get() with { Headers = [("X-Mine", "yes")] });

        Assert.Equal("1 Scgi Responder False 192.0.2.7 yes", response.BodyText);
    }

    /// <summary>By TCP a web server only ends its direction to leave; see docs/evidence/hard-inputs.md.</summary>
    [Theory, ClassData(typeof(UnixTransports))]
    public async Task A_peer_that_ends_its_direction_gets_its_answer_on_a_unix_socket(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(transport, async context =>
        {
            await GoOn.WaitAsync();
            await context.Response.WriteAsync("answer");
        });

        await peer.SendAsync(Get());
        peer.EndSending();
        GoOn.Reach();

        Assert.Equal("answer", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("S11")]
    public async Task A_peer_that_leaves_in_the_body_fails_the_read(ServerTransport transport)
    {
        var failed = new TaskCompletionSource<Exception>();
        var peer = await StartAndConnectScgiAsync(transport, async context =>
        {
            Entered.Reach();
            failed.SetResult(await Assert.ThrowsAnyAsync<IOException>(
                () => context.Request.Body.CopyToAsync(Stream.Null)));
        });
        var request = ScgiPeer.Request(Post("the body"));

        await peer.SendAsync(request.AsMemory(0, request.Length - 1));
        await Entered.WaitAsync();
        peer.Socket.Dispose();

        Assert.Contains("closed the connection", (await failed.Task.Within("the failure of the read")).Message);
    }

    [Theory, MemberData(nameof(Breaks))]
    [HardInput("S12")]
    public async Task An_answer_that_breaks_off_is_a_reset_where_there_is_one(ServerTransport transport, bool byStop)
    {
        var peer = await StartAndConnectScgiAsync(transport, async context =>
        {
            await context.Response.WriteAsync("half");
            await context.Response.Body.FlushAsync();
            if (byStop)
            {
                await WaitForAbortAsync(context);
                return;
            }

            await GoOn.WaitAsync();
            context.Abort();
        });

        await peer.SendAsync(Get());
        await peer.ExpectHeadAsync();
        await peer.ExpectTextAsync("half");
        if (byStop)
        {
            await Server.StopAsync(new CancellationToken(canceled: true)).Within("the stop");
        }

        GoOn.Reach();
        await ExpectBrokenOffAsync(peer, transport);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_early_answer_comes_whole_though_the_body_goes_on(ServerTransport transport)
    {
        var peer = await StartAndConnectScgiAsync(transport, context =>
        {
            context.Response.StatusCode = 413;
            return context.Response.WriteAsync("too much");
        });
        var request = ScgiPeer.Request(Post(new byte[1_000_000]));

        await peer.SendAsync(request.AsMemory(0, 500_000));
        await peer.ExpectHeadAsync();
        await peer.SendAsync(request.AsMemory(500_000));

        var rest = await peer.ExpectResponseAsync();
        Assert.Equal("too much", Encoding.ASCII.GetString(rest.Stdout));
    }

    [Fact]
    [HardInput("S10")]
    public async Task An_announced_body_of_which_nothing_had_come_is_not_an_empty_one()
    {
        var peer = await StartAndConnectScgiAsync(async context =>
        {
            Assert.True(context.Features.Get<IHttpRequestBodyDetectionFeature>()!.CanHaveBody);
            await context.Request.Body.CopyToAsync(Stream.Null);
        });

        var response = await peer.RoundTripAsync(Post("") with { Headers = [("Content-Length", "4")] });

        Assert.Equal(500, response.StatusCode);
    }

    [Fact]
    [HardInput("S10")]
    public async Task An_announced_length_that_is_longer_fails_the_read_and_nothing_else()
    {
        await StartScgiAsync(async context =>
        {
            if (context.Request.Path == "/read")
            {
                await context.Request.Body.CopyToAsync(Stream.Null);
            }

            await context.Response.WriteAsync("unread");
        });
        var cut = Post(new byte[9000]) with { Headers = [("Content-Length", "300000")] };

        var reader = await ConnectScgiAsync();
        await reader.SendAsync(cut with { Target = "/read" });
        await reader.SendAsync(new byte[291_000]);
        var response = await reader.ExpectResponseAsync();
        Assert.Equal(500, response.StatusCode);

        var other = await ConnectScgiAsync();
        Assert.Equal("unread", (await other.RoundTripAsync(cut)).BodyText);

        var warning = Assert.Single(Logs.Entries, entry => entry.Level == LogLevel.Warning);
        Assert.Contains("scgi_request_buffering off", warning.Message);
        Assert.Contains("300000", warning.Message);
    }
}
