namespace FastCgi.FunctionalTests.Connections;

/// <summary>Twenty requests on one connection, of which one is slow: the others do not pay for it.</summary>
public sealed class TwentyRequestsTests : FunctionalTest
{
    private const int Slow = 7;
    private const int Count = 20;
    private const int QuickLength = 30_000;
    private const int SlowLength = 4_000_000;
    private const int PieceLength = 1000;

    private static IEnumerable<int> Quick => Enumerable.Range(1, Count).Where(id => id != Slow);

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B5")]
    public async Task One_slow_body_reader_does_not_hold_up_nineteen_others(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                if (context.Request.Path == $"/{Slow}")
                {
                    await GoOn.WaitAsync();
                }

                await EchoAsync(context);
            },
            options => options.Limits.MaxRequestBufferSize = 100_000);
        for (var id = 1; id <= Count; id++)
        {
            await peer.SendAsync(BeginPost(id == Slow ? SlowLength : QuickLength, $"/{id}", id));
        }

        // A piece of each in turn; far more of the slow one, so that it is over its limit all the time.
        var slow = RandomBytes(SlowLength, Slow);
        var share = SlowLength / (QuickLength / PieceLength);
        for (var piece = 0; piece < QuickLength / PieceLength; piece++)
        {
            var records = new RecordBuilder().Stdin(Slow, slow.AsSpan(piece * share, share));
            foreach (var id in Quick)
            {
                records.Stdin(id, RandomBytes(QuickLength, id).AsSpan(piece * PieceLength, PieceLength));
            }

            await peer.SendAsync(records);
        }

        foreach (var id in Quick)
        {
            await peer.SendAsync(new RecordBuilder().EndStdin(id));
            Assert.Equal(RandomBytes(QuickLength, id), (await peer.ExpectResponseAsync(id)).Body);
        }

        Assert.Empty(await peer.SynchronizeAsync());
        await peer.SendAsync(new RecordBuilder().Stdin(Slow, slow.AsSpan(QuickLength / PieceLength * share)).EndStdin(Slow));
        GoOn.Reach();
        Assert.Equal(slow, (await peer.ExpectResponseAsync(Slow)).Body);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("W7")]
    public async Task One_endless_response_does_not_hold_up_nineteen_others(ServerTransport transport)
    {
        const int BlockLength = 50_000;
        var blocks = 0;
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var id = int.Parse(context.Request.Path.Value![1..], CultureInfo.InvariantCulture);
            if (id != Slow)
            {
                await context.Response.Body.WriteAsync(RandomBytes(QuickLength, id));
                return;
            }

            // As fast as the peer takes it, until the others are done.
            for (; !GoOn.IsReached && !context.RequestAborted.IsCancellationRequested; blocks++)
            {
                await context.Response.Body.WriteAsync(RandomBytes(BlockLength, blocks));
            }
        });

        await peer.SendRequestAsync(target: $"/{Slow}", id: Slow);
        List<WireRecord> slow = [.. (await peer.ExpectResponseStartAsync(Slow)).Records];
        foreach (var id in Quick)
        {
            await peer.SendRequestAsync(target: $"/{id}", id: id);
        }

        foreach (var id in Quick)
        {
            Assert.Equal(RandomBytes(QuickLength, id), (await peer.ExpectResponseAsync(id)).Body);
        }

        GoOn.Reach();
        slow.AddRange((await peer.ExpectResponseAsync(Slow)).Records);

        var body = CgiResponse.From(slow).Body;
        Assert.Equal(blocks * BlockLength, body.Length);
        for (var block = 0; block < blocks; block++)
        {
            Assert.True(
                body.AsSpan(block * BlockLength, BlockLength).SequenceEqual(RandomBytes(BlockLength, block)),
                $"Block {block} of the endless response is wrong.");
        }
    }
}
