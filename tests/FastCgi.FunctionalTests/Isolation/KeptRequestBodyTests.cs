namespace FastCgi.FunctionalTests.Isolation;

/// <summary>
/// A body, a reader or a read that an application keeps beyond its request never sees the next upload. The server pools
/// its objects, so each test runs several rounds: the next request often has the object of the one before.
/// </summary>
public sealed class KeptRequestBodyTests : FunctionalTest
{
    private const int Rounds = 8;
    private const string Leave = "/leave";

    public static MatrixTheoryData<ServerTransport, bool> Views { get; } = new(Transports.All, [true, false]);

    [Theory, ClassData(typeof(Transports))]
    public Task A_kept_reader_reads_nothing_of_the_next_upload(ServerTransport transport) => UploadAfterAsync(
        transport,
        context =>
        {
            var kept = context.Request.BodyReader;
            return Task.FromResult<Func<Task>>(async () =>
            {
                await Assert.ThrowsAsync<ObjectDisposedException>(async () => await kept.ReadAsync());
                Assert.Throws<ObjectDisposedException>(() => kept.TryRead(out _));
                kept.CancelPendingRead();
                kept.AdvanceTo(default);
                kept.Complete(new InvalidOperationException("of a request that has ended"));
            });
        });

    [Theory, ClassData(typeof(Transports))]
    public Task A_kept_reader_that_has_read_advances_nothing_of_the_next_upload(ServerTransport transport) =>
        UploadAfterAsync(transport, async context =>
        {
            var kept = context.Request.BodyReader;
            var read = await kept.ReadAsync();
            var text = Encoding.ASCII.GetString(read.Buffer.FirstSpan);
            return () =>
            {
                Assert.Equal(text, Encoding.ASCII.GetString(read.Buffer.FirstSpan));
                kept.AdvanceTo(read.Buffer.End);
                return Task.CompletedTask;
            };
        });

    [Theory, ClassData(typeof(Transports))]
    public Task A_kept_stream_reads_nothing_of_the_next_upload(ServerTransport transport) => UploadAfterAsync(
        transport,
        context =>
        {
            var kept = context.Request.Body;
            return Task.FromResult<Func<Task>>(async () =>
            {
                await Assert.ThrowsAsync<ObjectDisposedException>(async () => await kept.ReadAsync(new byte[10]));
                await Assert.ThrowsAsync<ObjectDisposedException>(() => kept.CopyToAsync(Stream.Null));
            });
        });

    /// <summary>More of the first body is still to come when its handler leaves.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task A_copy_that_awaits_its_destination_does_not_go_on_in_the_next_upload(ServerTransport transport)
    {
        SlowStream? slow = null;
        Task? copy = null;
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (context.Request.Path == Leave)
            {
                slow = new SlowStream();
                copy = context.Request.Body.CopyToAsync(slow);
                await slow.Entered.WaitAsync();
                return;
            }

            slow!.GoOn.Reach();
            await Assert.ThrowsAsync<ObjectDisposedException>(() => copy!.Within("the end of the copy"));
            Assert.Equal("abc", Encoding.ASCII.GetString(slow.Content));
            await ReadAndAnswerAsync(context);
        }, clock: Clock);
        var other = await ConnectAsync();

        for (var round = 0; round < Rounds; round++)
        {
            foreach (var next in (ScriptedPeer[])[peer, other])
            {
                await peer.SendAsync(BeginPost(6, Leave).Stdin(1, "abc"u8));
                await peer.ExpectResponseStartAsync();
                await peer.SendAsync(EndBody("def"u8));
                await peer.ExpectResponseAsync();
                await AssertArrivesWholeAsync(next, round);
            }
        }
    }

    /// <summary>The body of the first request is still to come when its handler leaves.</summary>
    [Theory, MemberData(nameof(Views))]
    public async Task A_read_that_was_left_pending_ends_with_its_request(ServerTransport transport, bool byStream)
    {
        var buffer = new byte[3];
        Task? left = null;
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (context.Request.Path == Leave)
            {
                left = byStream
                    ? context.Request.Body.ReadAsync(buffer, 0, 3)
                    : context.Request.BodyReader.ReadAsync().AsTask();
                return;
            }

            await ReadAndAnswerAsync(context);
        }, clock: Clock);
        var other = await ConnectAsync();

        for (var round = 0; round < Rounds; round++)
        {
            await peer.SendAsync(BeginPost(3, Leave));
            await peer.ExpectResponseStartAsync();
            await peer.SendAsync(EndBody("abc"u8));
            await peer.ExpectResponseAsync();
            await Assert.ThrowsAsync<ObjectDisposedException>(() => left!.Within("the end of the read"));
            Assert.Equal(new byte[3], buffer);
            await AssertArrivesWholeAsync(peer, round);
            await AssertArrivesWholeAsync(other, round);
        }
    }

    /// <param name="keep">Run by the first request; what it returns is run while the next upload is served.</param>
    private async Task UploadAfterAsync(ServerTransport transport, Func<HttpContext, Task<Func<Task>>> keep)
    {
        Func<Task>? later = null;
        var over = new SemaphoreSlim(0);
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (context.Request.Path == "/keep")
            {
                later = await keep(context);
                context.Response.OnCompleted(() => over.Release());
                return;
            }

            await later!();
            await ReadAndAnswerAsync(context);
        });
        var other = await ConnectAsync();

        for (var round = 0; round < Rounds; round++)
        {
            foreach (var next in (ScriptedPeer[])[peer, other])
            {
                await peer.RoundTripAsync(Post($"first {round}", "/keep"));
                await over.WaitAsync().Within("the end of the first request");
                await AssertArrivesWholeAsync(next, round);
            }
        }
    }

    private static async Task AssertArrivesWholeAsync(ScriptedPeer peer, int round)
    {
        var body = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat($"next {round}, ", 5000)));
        Assert.Equal(body, (await peer.RoundTripAsync(Post(body))).Body);
    }

    private static async Task ReadAndAnswerAsync(HttpContext context)
    {
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        await context.Response.Body.WriteAsync(body.ToArray());
    }

    /// <summary>Takes what is written when the test says so, from the memory that it was given.</summary>
    private sealed class SlowStream : MemoryStream
    {
        public SyncPoint Entered { get; } = "the first write of the copy";

        public SyncPoint GoOn { get; } = "the test to let the copy go on";

        public byte[] Content => ToArray();

        public override async ValueTask WriteAsync(
            ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Entered.Reach();
            await GoOn.WaitAsync();
            Write(buffer.Span);
        }
    }
}
