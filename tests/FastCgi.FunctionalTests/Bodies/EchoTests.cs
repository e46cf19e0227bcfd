namespace FastCgi.FunctionalTests.Bodies;

/// <summary>Answers that are written while the request body is still arriving, to a peer that behaves as nginx does.</summary>
public sealed class EchoTests : FunctionalTest
{
    private const int Length = 5_000_000;

    private readonly SyncPoint _read = "the handler to have read";

    [Theory, ClassData(typeof(AnyTransports))]
    public async Task A_body_is_echoed_to_a_peer_that_stops_sending_at_the_head(ServerTransport transport)
    {
        await StartAsync(transport, EchoAsync);

        await AssertServesAsync(await AssertEchoedAsync(Length));
    }

    [Fact]
    public async Task A_body_of_unknown_length_is_echoed_too()
    {
        await StartAsync(EchoAsync, clock: Clock);

        await AssertEchoedAsync(length: null);
    }

    [Fact]
    public async Task An_answer_that_was_started_before_the_body_was_read_is_held_until_it_is_flushed()
    {
        await StartAsync(async context =>
        {
            await context.Response.StartAsync();
            await EchoAsync(context);
        });

        await AssertEchoedAsync(Length);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_is_written_through_the_pipe_is_held_too(bool isFlushed)
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var length = await context.Request.Body.ReadAsync(new byte[1000]);
            if (isFlushed)
            {
                await context.Response.BodyWriter.FlushAsync();
            }
            else
            {
                // As WriteAsync of a text does.
                await context.Response.StartAsync();
            }

            // More than a record holds, in pieces of several sizes, before anybody flushes.
            foreach (var size in (int[])[1, 30_000, 40_000, 200_000, 7])
            {
                context.Response.BodyWriter.GetSpan(size)[..size].Fill((byte)'x');
                context.Response.BodyWriter.Advance(size);
            }

            await context.Response.BodyWriter.FlushAsync();
            while (await context.Request.Body.ReadAsync(new byte[1000]) is > 0 and var read)
            {
                length += read;
            }

            await context.Response.WriteAsync($"{length}");
        });

        await peer.SendAsync(BeginPost(Length));
        await SendUntilTheHeadComesAsync(peer, RandomBytes(Length));

        Assert.Equal(new string('x', 270_008) + Length, (await peer.ExpectResponseAsync()).BodyText);
    }

    [Fact]
    public async Task An_answer_to_a_body_that_nobody_looked_at_leaves_at_once()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            await context.Response.WriteAsync("event");
            await GoOn.WaitAsync();
            await EchoAsync(context);
        });

        await peer.SendAsync(BeginPost(4));
        Assert.Equal("event", (await peer.ExpectResponseStartAsync()).BodyText);
        GoOn.Reach();
        Assert.Equal("body"u8.ToArray(), (await peer.RoundTripAsync(EndBody("body"u8))).Stdout);
    }

    [Fact]
    public async Task An_answer_streams_once_the_body_has_come()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            await context.Request.Body.ReadExactlyAsync(new byte[2]);
            await context.Response.WriteAsync("event");
            _read.Reach();
            await GoOn.WaitAsync();
        });

        await peer.SendAsync(BeginPost(4).Stdin(1, "bo"u8));
        await _read.WaitAsync();
        Assert.Empty(await peer.SynchronizeAsync());

        // The last declared byte is enough: the handler neither reads nor writes any more.
        await peer.SendAsync(new RecordBuilder().Stdin(1, "dy"u8));
        Assert.Equal("event", (await peer.ExpectResponseStartAsync()).BodyText);
        GoOn.Reach();
        await peer.RoundTripAsync(new RecordBuilder().EndStdin());
    }

    [Fact]
    public async Task A_refusal_in_the_middle_of_the_body_does_not_wait_for_the_rest()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            await context.Request.Body.ReadExactlyAsync(new byte[2]);
            context.Response.StatusCode = 422;
            await context.Response.WriteAsync("no");
        });

        await peer.SendAsync(BeginPost(Length).Stdin(1, "bo"u8));

        AssertResponse((422, null, "no"), await peer.ExpectResponseStartAsync());
    }

    [Fact]
    public async Task A_refused_size_does_not_wait_for_the_body()
    {
        var peer = await StartAndConnectAsync(
            async context =>
            {
                await Assert.ThrowsAsync<BadHttpRequestException>(
                    async () => await context.Request.Body.ReadAsync(new byte[1]));
                context.Response.StatusCode = 413;
                await context.Response.WriteAsync("too much");
                await GoOn.WaitAsync();
            },
            options => options.Limits.MaxRequestBodySize = 10);

        await peer.SendAsync(BeginPost(Length));

        Assert.Equal("too much", (await peer.ExpectResponseStartAsync()).BodyText);
        GoOn.Reach();
    }

    [Fact]
    public async Task A_client_that_waits_for_an_answer_gets_it_after_a_quiet_second()
    {
        var peer = await StartAndConnectAsync(
            async context =>
            {
                var buffer = new byte[10];
                while (await context.Request.Body.ReadAsync(buffer) is > 0 and var read)
                {
                    await context.Response.Body.WriteAsync(buffer.AsMemory(0, read));
                    _read.Reach();
                }
            },
            clock: Clock);

        await peer.SendAsync(BeginPost(null).Stdin(1, "ping"u8));
        await _read.WaitAsync();
        Clock.Advance(TimeSpan.FromMilliseconds(999));
        Assert.Empty(await peer.SynchronizeAsync());
        Clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal("ping", (await peer.ExpectResponseStartAsync()).BodyText);

        // From then on nothing is held any more.
        await peer.SendAsync(new RecordBuilder().Stdin(1, "pong"u8));
        Assert.Equal("pong"u8.ToArray(), (await peer.ExpectRecordAsync(1)).Content);
        await peer.RoundTripAsync(new RecordBuilder().EndStdin());
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_handler_that_waits_for_the_body_hears_of_a_lost_peer(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await context.Request.Body.ReadExactlyAsync(new byte[2]);
            _read.Reach();
            await context.Response.Body.WriteAsync(new byte[100_000]);
            await Assert.ThrowsAnyAsync<IOException>(
                async () => await context.Request.Body.CopyToAsync(Stream.Null));
            Left.Reach();
        });

        await peer.SendAsync(BeginPost(Length).Stdin(1, "bo"u8));
        await _read.WaitAsync();
        await peer.DisposeAsync();

        await Left.WaitAsync();
    }

    [Fact]
    public async Task A_flush_that_waits_for_the_body_can_be_cancelled()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var writer = context.Response.BodyWriter;
            await context.Request.Body.ReadExactlyAsync(new byte[2]);
            writer.GetSpan(100_000)[..100_000].Clear();
            writer.Advance(100_000);
            var pending = writer.FlushAsync().AsTask();
            Assert.False(pending.IsCompleted);
            writer.CancelPendingFlush();
            Assert.True((await pending.Within("the cancelled flush")).IsCanceled);

            using var cancellation = new CancellationTokenSource();
            pending = writer.FlushAsync(cancellation.Token).AsTask();
            await cancellation.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pending.Within("the cancelled flush"));
            _read.Reach();
            await writer.FlushAsync();
        });

        await peer.SendAsync(BeginPost(4).Stdin(1, "bo"u8));
        await _read.WaitAsync();
        Assert.Empty(await peer.SynchronizeAsync());
        Assert.Equal(100_000, (await peer.RoundTripAsync(EndBody("dy"u8))).Body.Length);
    }

    /// <summary>The first is larger than what may wait behind the head, the second is not.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Writes_that_wait_for_the_body_keep_their_order(bool isCancelled)
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            var writer = context.Response.BodyWriter;
            await context.Request.Body.ReadExactlyAsync(new byte[2]);
            var first = writer.WriteAsync(new byte[100_000]).AsTask();
            var second = writer.WriteAsync("end"u8.ToArray()).AsTask();
            Assert.False(first.IsCompleted || second.IsCompleted);
            if (isCancelled)
            {
                writer.CancelPendingFlush();
                Assert.True((await first.Within("the cancelled write")).IsCanceled);
            }

            _read.Reach();
        });

        await peer.SendAsync(BeginPost(4).Stdin(1, "bo"u8));
        await _read.WaitAsync();
        await peer.SendAsync(EndBody("dy"u8));

        byte[] expected = [.. new byte[100_000], .. "end"u8];
        Assert.Equal(expected, (await peer.ExpectResponseAsync()).Body);
    }

    /// <summary>As with Kestrel: its bytes are in the response, and who gives it up cannot take them back.</summary>
    [Fact]
    public async Task A_write_that_is_given_up_while_it_waits_for_the_body_breaks_the_response_off()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            using var source = new CancellationTokenSource();
            await context.Request.Body.ReadExactlyAsync(new byte[2]);
            var write = context.Response.Body.WriteAsync(new byte[100_000], source.Token).AsTask();
            await source.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => write.Within("the write"));
            Assert.True(context.RequestAborted.IsCancellationRequested);
        });

        await peer.SendAsync(BeginPost(4).Stdin(1, "bo"u8));

        await peer.ExpectTornResponseAsync();
    }

    private async Task<ScriptedPeer> AssertEchoedAsync(int? length)
    {
        var peer = await ConnectAsync();
        var body = RandomBytes(Length);

        await peer.SendAsync(BeginPost(length));
        await SendUntilTheHeadComesAsync(peer, body);

        Assert.Equal(body, (await peer.ExpectResponseAsync()).Body);
        return peer;
    }

    /// <summary>As nginx: once anything of the answer is there, nothing more of the body is sent.</summary>
    private static async Task SendUntilTheHeadComesAsync(ScriptedPeer peer, byte[] body)
    {
        const int Piece = 50_000;
        for (var sent = 0; sent < body.Length; sent += Piece)
        {
            Assert.Equal(0, peer.Socket.Available);
            await peer.SendAsync(new RecordBuilder().Stdin(1, body.AsSpan(sent, Piece), recordSize: 32768));
            if (sent == 40 * Piece)
            {
                // All of it has been read, and what the handler wrote meanwhile is not among what came.
                Assert.Empty(await peer.SynchronizeAsync());
            }
        }

        await peer.SendAsync(new RecordBuilder().EndStdin());
    }
}
