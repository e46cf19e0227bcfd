namespace FastCgi.FunctionalTests.Aborts;

/// <summary>Rows A of the hard inputs: the peer ends a request.</summary>
public sealed class PeerAbortTests : FunctionalTest
{
    public static MatrixTheoryData<ServerTransport, bool> Starts { get; } = new(Transports.All, [false, true]);

    [Fact]
    [HardInput("A1")]
    public async Task An_abort_before_the_end_of_the_params()
    {
        var peer = await StartAndConnectAsync(Write("x"));

        await peer.SendAsync(new RecordBuilder().Begin().Params(1, Get().ToParams(), recordSize: 100).Abort());

        await AssertOneEndAsync(peer);
    }

    [Fact]
    [HardInput("A2")]
    public async Task An_abort_in_the_middle_of_the_body()
    {
        var peer = await StartAndEnterAsync(async context =>
        {
            if (!HttpMethods.IsPost(context.Request.Method))
            {
                return;
            }

            Entered.Reach();
            await Assert.ThrowsAnyAsync<IOException>(
                async () => await context.Request.Body.CopyToAsync(Stream.Null));
            Assert.True(context.RequestAborted.IsCancellationRequested);
            Left.Reach();
        }, BeginPost(100).Stdin(1, new byte[50]));

        await peer.SendAsync(new RecordBuilder().Abort());

        await AssertOneEndAsync(peer);
        await Left.WaitAsync();
    }

    /// <summary>END_REQUEST does not wait for the handler, and what that writes goes nowhere.</summary>
    [Theory, MemberData(nameof(Starts))]
    [HardInput("A3", "A4")]
    public async Task An_abort_while_the_handler_runs(ServerTransport transport, bool isStarted)
    {
        var peer = await StartWaitingAsync(transport, isStarted);
        if (isStarted)
        {
            await peer.ExpectResponseStartAsync();
        }

        await peer.SendAsync(new RecordBuilder().Abort());

        await AssertOneEndAsync(peer);
        await Aborted.WaitAsync();
        GoOn.Reach();
        await Left.WaitAsync();
        Assert.Empty(await peer.SynchronizeAsync());
    }

    /// <summary>An application that looks once, at its end, rolls back what the client never learns of.</summary>
    [Fact]
    public async Task A_token_that_is_asked_for_after_the_abort_is_cancelled_already()
    {
        var states = new List<bool>();
        var peer = await StartAndEnterAsync(async context =>
        {
            if (context.Request.Path == "/wait")
            {
                Entered.Reach();
                await GoOn.WaitAsync();
                states.Add(context.RequestAborted.IsCancellationRequested);
                Left.Reach();
            }
        }, Get("/wait"));

        await peer.SendAsync(new RecordBuilder().Abort());
        await AssertOneEndAsync(peer);
        GoOn.Reach();
        await Left.WaitAsync();

        Assert.Equal([true], states);
    }

    [Fact]
    [HardInput("A5")]
    public async Task An_abort_of_an_unknown_id_is_ignored()
    {
        var peer = await StartAndConnectAsync(Write("x"));

        await peer.SendAsync(new RecordBuilder().Abort(7));

        Assert.Empty(await peer.SynchronizeAsync());
        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("A6")]
    public async Task Two_aborts_are_one_end()
    {
        var peer = await StartWaitingAsync(Transports.Usual);

        await peer.SendAsync(new RecordBuilder().Abort().Abort());

        await AssertOneEndAsync(peer);
        GoOn.Reach();
        await Left.WaitAsync();
    }

    [Fact]
    public async Task Of_one_request_does_not_touch_the_other()
    {
        var peer = await StartWaitingAsync(Transports.Usual);
        await peer.SendAsync(BeginPost(3, id: 2));

        await peer.SendAsync(new RecordBuilder().Abort());
        await Aborted.WaitAsync();
        await peer.SendAsync(EndBody("abc"u8, id: 2));

        Assert.Equal(200, (await peer.ExpectResponseAsync(2)).StatusCode);
        GoOn.Reach();
        await Left.WaitAsync();
    }

    [Fact]
    public async Task Of_a_connection_that_is_not_kept_closes_it()
    {
        var peer = await StartAndConnectAsync(Write("x"));

        await peer.SendAsync(new RecordBuilder().Begin(keepConnection: false).Abort());

        Assert.Equal(WireRecord.EndRequest, (await peer.ExpectRecordAsync()).Type);
        await peer.ExpectEndOfStreamAsync();
    }

    /// <summary>A handler that waits in /wait, on a connection that has sent such a request.</summary>
    private async Task<ScriptedPeer> StartWaitingAsync(ServerTransport transport, bool isStarted = false)
    {
        var peer = await StartAndEnterAsync(transport, async context =>
        {
            if (context.Request.Path == "/wait")
            {
                await (isStarted ? context.Response.WriteAsync("started") : Task.CompletedTask);
                await WaitAsync(context);
                await context.Response.WriteAsync("too late");
                Left.Reach();
            }
        }, Get("/wait"));
        return peer;
    }

    private static async Task AssertOneEndAsync(ScriptedPeer peer)
    {
        var response = await peer.ExpectResponseAsync();
        Assert.Single(response.Records);
        Assert.Equal(0, response.ProtocolStatus);
        Assert.Empty(await peer.SynchronizeAsync());
        await AssertServesAsync(peer);
    }
}
