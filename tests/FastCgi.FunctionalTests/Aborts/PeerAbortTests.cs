namespace FastCgi.FunctionalTests.Aborts;

/// <summary>Rows A of the hard inputs: the peer ends a request.</summary>
public sealed class PeerAbortTests : FunctionalTest
{
    private readonly SyncPoint _entered = "the handler";
    private readonly SyncPoint _aborted = "RequestAborted";
    private readonly SyncPoint _goOn = "the test to let the handler go on";
    private readonly SyncPoint _left = "the end of the handler";

    [Theory, ClassData(typeof(Transports))]
    [HardInput("A1")]
    public async Task An_abort_before_the_end_of_the_params(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, Write("x"));

        await peer.SendAsync(new RecordBuilder().Begin().Params(1, Get().ToParams(), recordSize: 100).Abort());

        await AssertOneEndAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("A2")]
    public async Task An_abort_in_the_middle_of_the_body(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (!HttpMethods.IsPost(context.Request.Method))
            {
                return;
            }

            _entered.Reach();
            await Assert.ThrowsAnyAsync<IOException>(
                async () => await context.Request.Body.CopyToAsync(Stream.Null));
            Assert.True(context.RequestAborted.IsCancellationRequested);
            _left.Reach();
        });
        await peer.SendAsync(BeginPost(100).Stdin(1, new byte[50]));
        await _entered.WaitAsync();

        await peer.SendAsync(new RecordBuilder().Abort());

        await AssertOneEndAsync(peer);
        await _left.WaitAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("A3")]
    public async Task An_abort_while_the_handler_runs(ServerTransport transport)
    {
        var peer = await StartWaitingAsync(transport, isStarted: false);

        await peer.SendAsync(new RecordBuilder().Abort());

        // END_REQUEST does not wait for the handler, and what that writes goes nowhere.
        await AssertOneEndAsync(peer);
        await _aborted.WaitAsync();
        _goOn.Reach();
        await _left.WaitAsync();
        Assert.Empty(await peer.SynchronizeAsync());
    }

    /// <summary>An application that looks once, at its end, rolls back what the client never learns of.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task A_token_that_is_asked_for_after_the_abort_is_cancelled_already(ServerTransport transport)
    {
        var states = new List<bool>();
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (context.Request.Path == "/wait")
            {
                _entered.Reach();
                await _goOn.WaitAsync();
                states.Add(context.RequestAborted.IsCancellationRequested);
                _left.Reach();
            }
        });
        await peer.SendRequestAsync(target: "/wait");
        await _entered.WaitAsync();

        await peer.SendAsync(new RecordBuilder().Abort());
        await AssertOneEndAsync(peer);
        _goOn.Reach();
        await _left.WaitAsync();

        Assert.Equal([true], states);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("A4")]
    public async Task An_abort_after_the_response_started(ServerTransport transport)
    {
        var peer = await StartWaitingAsync(transport, isStarted: true);
        await peer.ExpectResponseStartAsync();

        await peer.SendAsync(new RecordBuilder().Abort());

        await AssertOneEndAsync(peer);
        await _aborted.WaitAsync();
        _goOn.Reach();
        await _left.WaitAsync();
        Assert.Empty(await peer.SynchronizeAsync());
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("A5")]
    public async Task An_abort_of_an_unknown_id_is_ignored(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, Write("x"));

        await peer.SendAsync(new RecordBuilder().Abort(7));

        Assert.Empty(await peer.SynchronizeAsync());
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("A6")]
    public async Task Two_aborts_are_one_end(ServerTransport transport)
    {
        var peer = await StartWaitingAsync(transport, isStarted: false);

        await peer.SendAsync(new RecordBuilder().Abort().Abort());

        await AssertOneEndAsync(peer);
        _goOn.Reach();
        await _left.WaitAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Of_one_request_does_not_touch_the_other(ServerTransport transport)
    {
        var peer = await StartWaitingAsync(transport, isStarted: false);
        await peer.SendAsync(BeginPost(3, id: 2));

        await peer.SendAsync(new RecordBuilder().Abort());
        await _aborted.WaitAsync();
        await peer.SendAsync(new RecordBuilder().Stdin(2, "abc"u8).EndStdin(2));

        Assert.Equal(200, (await peer.ExpectResponseAsync(2)).StatusCode);
        _goOn.Reach();
        await _left.WaitAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Of_a_connection_that_is_not_kept_closes_it(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, Write("x"));

        await peer.SendAsync(new RecordBuilder().Begin(keepConnection: false).Abort());

        Assert.Equal(WireRecord.EndRequest, (await peer.ExpectRecordAsync()).Type);
        await peer.ExpectEndOfStreamAsync();
    }

    /// <summary>A handler that waits in /wait, on a connection that has sent such a request.</summary>
    private async Task<ScriptedPeer> StartWaitingAsync(ServerTransport transport, bool isStarted)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (context.Request.Path != "/wait")
            {
                return;
            }

            using var registration = context.RequestAborted.Register(_aborted.Reach);
            if (isStarted)
            {
                await context.Response.WriteAsync("started");
            }

            _entered.Reach();
            await _goOn.WaitAsync();
            await context.Response.WriteAsync("too late");
            _left.Reach();
        });
        await peer.SendRequestAsync(target: "/wait");
        await _entered.WaitAsync();
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
