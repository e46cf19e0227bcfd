namespace FastCgi.FunctionalTests.Isolation;

/// <summary>
/// A body that an application keeps beyond its request never sees the next upload. The server pools its objects, so
/// each test runs several rounds: the next request often has the object of the one before.
/// </summary>
public sealed class KeptRequestBodyTests : FunctionalTest
{
    private const int Rounds = 8;
    private const string Leave = "/leave";

    [Fact]
    public async Task A_kept_stream_reads_nothing_of_the_next_upload()
    {
        Stream? kept = null;
        var over = new SemaphoreSlim(0);
        var peer = await StartAndConnectAsync(async context =>
        {
            if (context.Request.Path == Leave)
            {
                kept = context.Request.Body;
                context.Response.OnCompleted(() => over.Release());
                return;
            }

            await Assert.ThrowsAsync<ObjectDisposedException>(async () => await kept!.ReadAsync(new byte[10]));
            await Assert.ThrowsAsync<ObjectDisposedException>(() => kept!.CopyToAsync(Stream.Null));
            await EchoAsync(context);
        });
        var other = await ConnectAsync();

        for (var round = 0; round < Rounds; round++)
        {
            foreach (var next in (ScriptedPeer[])[peer, other])
            {
                await peer.RoundTripAsync(Post($"first {round}", Leave));
                await over.WaitAsync().Within("the end of the first request");
                await AssertArrivesWholeAsync(next, round);
            }
        }
    }

    /// <summary>More of the first body is still to come when its handler leaves.</summary>
    [Fact]
    public async Task A_copy_that_awaits_its_destination_does_not_go_on_in_the_next_upload()
    {
        SlowStream? slow = null;
        Task? copy = null;
        var peer = await StartAndConnectAsync(async context =>
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
            await EchoAsync(context);
        }, clock: Clock);
        var other = await ConnectAsync();

        for (var round = 0; round < Rounds; round++)
        {
            foreach (var next in (ScriptedPeer[])[peer, other])
            {
                await peer.SendAsync(BeginPost(6, Leave).Stdin(1, "abc"u8));
                await peer.ExpectResponseStartAsync();
                await peer.RoundTripAsync(EndBody("def"u8));
                await AssertArrivesWholeAsync(next, round);
            }
        }
    }

    private static async Task AssertArrivesWholeAsync(ScriptedPeer peer, int round)
    {
        var body = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat($"next {round}, ", 5000)));
        Assert.Equal(body, (await peer.RoundTripAsync(Post(body))).Body);
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
