namespace FastCgi.FunctionalTests.Bodies;

public sealed class RequestBodyTests : FunctionalTest
{
    [Theory, ClassData(typeof(Transports))]
    public async Task Whoever_waits_for_it_goes_on_where_it_was_received(ServerTransport transport)
    {
        var waits = new SemaphoreSlim(0);
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var read = context.Request.Body.ReadAsync(new byte[1]);
            waits.Release();
            await read;
            await context.Response.WriteAsync(Thread.CurrentThread.Name ?? "");
        });
        var isEpoll = transport is ServerTransport.EpollOnUnix or ServerTransport.EpollOnTcp;

        // Where more comes while a piece is read, the thread that reads has it to read, and another one goes on.
        var names = new List<string>();
        for (var i = 0; i < 50; i++)
        {
            await peer.SendAsync(BeginPost(1));
            await waits.WaitAsync().Within("a read that waits");
            await peer.SendAsync(EndBody("x"u8));
            names.Add((await peer.ExpectResponseAsync(1)).BodyText);
        }

        Assert.Equal(isEpoll, names.Contains("FastCGI epoll"));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Whoever_blocks_after_it_has_come_stalls_neither_its_connection_nor_another(ServerTransport transport)
    {
        SyncPoint blocks = "a handler that blocks";
        var goOn = new Latch();
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (context.Request.Method == "POST")
            {
                await context.Request.Body.ReadExactlyAsync(new byte[1]);
                blocks.Reach();
                goOn.Wait();
            }

            await context.Response.WriteAsync(context.Request.Method);
        });

        await peer.SendAsync(BeginPost(1));
        await peer.SendAsync(EndBody("x"u8));
        await blocks.WaitAsync();
        await AssertServesAsync(peer, id: 2);
        await AssertServesAnotherConnectionAsync();
        goOn.Set();

        Assert.Equal("POST", (await peer.ExpectResponseAsync(1)).BodyText);
    }

    [Fact]
    public Task Without_a_length_and_without_content_is_empty() =>
        AssertRespondsAsync((200, null, "done"), async context =>
        {
            Assert.Null(context.Request.ContentLength);
            Assert.False(context.Features.Get<IHttpRequestBodyDetectionFeature>()!.CanHaveBody);
            Assert.Equal(0, await context.Request.Body.ReadAsync(new byte[10]));
            Assert.Equal(0, await context.Request.Body.ReadAsync(new byte[10]));
            await context.Response.WriteAsync("done");
        });

    /// <summary>With nginx' underscores_in_headers, any client can send it by the name Transfer_Encoding.</summary>
    [Fact]
    public async Task Transfer_Encoding_is_shown_with_a_body_of_unknown_length_alone()
    {
        var peer = await StartAndConnectAsync(async context =>
            await context.Response.WriteAsync($"[{context.Request.Headers.TransferEncoding}]"));
        var script = Get() with { Headers = [("Transfer-Encoding", "chunked")] };
        Assert.Equal("[]", (await peer.RoundTripAsync(script)).BodyText);

        Assert.Equal("[chunked]", (await peer.RoundTripAsync(Begin(script).Stdin(1, "x"u8).EndStdin())).BodyText);

        Assert.Equal("[]", (await peer.RoundTripAsync(Post("x") with { Headers = script.Headers })).BodyText);
    }

    [Fact]
    public Task Can_be_had_is_said_of_a_body_of_known_length() => AssertRespondsAsync(
        (200, null, "True 5"),
        context => context.Response.WriteAsync(
            $"{context.Features.Get<IHttpRequestBodyDetectionFeature>()!.CanHaveBody} {context.Request.ContentLength}"),
        Post("12345"));

    [Theory, ClassData(typeof(Transports))]
    public async Task Arrives_while_the_handler_runs(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(transport, async context =>
        {
            var buffer = new byte[10];
            Assert.Equal(3, await context.Request.Body.ReadAsync(buffer));
            Entered.Reach();
            await context.Request.Body.ReadExactlyAsync(buffer.AsMemory(3, 2));
            Assert.Equal(0, await context.Request.Body.ReadAsync(buffer.AsMemory(5)));
            await context.Response.WriteAsync(Encoding.ASCII.GetString(buffer, 0, 5));
        }, BeginPost(5).Stdin(1, "abc"u8));
        Assert.Equal("abcde", (await peer.RoundTripAsync(EndBody("de"u8))).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Not_read_at_all_leaves_the_connection_usable(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, Write("without a look"));

        Assert.Equal("without a look", (await peer.RoundTripAsync(Post(new byte[200_000]))).BodyText);
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_slow_handler_lets_the_peer_s_send_block(ServerTransport transport)
    {
        const int Size = 24 * 1024 * 1024;
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                await GoOn.WaitAsync();
                await WriteLengthAsync(context);
            },
            options =>
            {
                options.Limits.MaxRequestBodySize = null;

                // Else a second without a read lets the rest go to a file, for the sake of requests behind it.
                options.Limits.MaxConcurrentRequestsPerConnection = 1;
            });
        var upload = BeginPost(Size).Stdin(1, new byte[Size]).EndStdin().ToArray();

        var sent = SendUntilBlocked(peer, upload);

        // More than the buffers of two sockets and the server's own ever hold would have been sent.
        Assert.InRange(sent, 1, Size - 1);
        GoOn.Reach();
        await peer.SendAsync(upload.AsMemory(sent));
        Assert.Equal($"{Size}", (await peer.ExpectResponseAsync()).BodyText);
    }

    /// <summary>Sends until the socket has not taken any more for a while; returns how much it took.</summary>
    private static int SendUntilBlocked(ScriptedPeer peer, byte[] bytes)
    {
        var sent = 0;
        peer.Socket.Blocking = false;
        while (sent < bytes.Length && peer.Socket.Poll(TimeSpan.FromMilliseconds(200), SelectMode.SelectWrite))
        {
            sent += Math.Max(0, peer.Socket.Send(bytes.AsSpan(sent), SocketFlags.None, out _));
        }

        peer.Socket.Blocking = true;
        return sent;
    }
}
