namespace FastCgi.FunctionalTests.Bodies;

/// <summary>Answers that are out before the body has ended.</summary>
public sealed class EarlyAnswerTests : FunctionalTest
{
    private readonly SyncPoint _ended = "the end of the response";
    private readonly SyncPoint _reads = "the handler to read on";
    private readonly TaskCompletionSource<int> _read = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B6")]
    public async Task The_answer_goes_out_at_once_and_END_REQUEST_with_the_end_of_the_body(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, AnswerAsync, clock: Clock);

        var answer = await ExpectEarlyAnswerAsync(peer, 100_000, sent: 1000);
        Assert.Equal((413, "too much", true), (answer.StatusCode, answer.BodyText, answer.IsStdoutEnded));
        Assert.Empty(await peer.SynchronizeAsync());
        await peer.SendAsync(EndBody(new byte[99_000]));

        await ExpectEndOfRequestAsync(peer);
        Assert.Equal(413, (await peer.RoundTripAsync(Post("small"))).StatusCode);
    }

    [Fact]
    [HardInput("B6")]
    public async Task END_REQUEST_follows_when_nothing_came_for_a_moment()
    {
        var peer = await StartAndConnectAsync(AnswerAsync, clock: Clock);
        await ExpectEarlyAnswerAsync(peer, 100_000, sent: 1000);
        await _ended.WaitAsync();

        Clock.Advance(TimeSpan.FromMilliseconds(149));
        Assert.Empty(await peer.SynchronizeAsync());
        Clock.Advance(TimeSpan.FromMilliseconds(1));

        await ExpectEndOfRequestAsync(peer);

        // More of the body could come at any moment, so the connection is not used again.
        await peer.ExpectEndOfStreamAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B6")]
    public async Task A_peer_that_closes_instead_is_no_error(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, AnswerAsync, clock: Clock);
        await ExpectEarlyAnswerAsync(peer, 100_000, sent: 1000);

        await peer.DisposeAsync();

        await Logs.WaitForConnectionStopAsync();
    }

    [Fact]
    [HardInput("B6")]
    public async Task A_handler_that_answers_first_may_read_on_for_as_long_as_bytes_come()
    {
        const int Pieces = 20;
        var peer = await StartAndConnectAsync(AnswerAndReadAsync, clock: Clock);
        await ExpectEarlyAnswerAsync(peer, 1000 * Pieces, sent: 1000);
        await _reads.WaitAsync();

        // Longer than RequestBodyDrainTimeout in all, though never without a byte.
        for (var piece = 1; piece < Pieces; piece++)
        {
            Clock.Advance(TimeSpan.FromMilliseconds(900));
            await peer.SendAsync(new RecordBuilder().Stdin(1, new byte[1000]));
            Assert.Empty(await peer.SynchronizeAsync());
        }

        await peer.SendAsync(new RecordBuilder().EndStdin());
        await ExpectEndOfRequestAsync(peer);
        Assert.Equal(1000 * Pieces, await _read.Task.Within("the body"));
        Assert.Equal(200, (await peer.RoundTripAsync(Post("small"))).StatusCode);
    }

    [Fact]
    [HardInput("B6")]
    public async Task A_read_behind_the_answer_fails_when_nothing_more_came_until_the_limit()
    {
        var peer = await StartAndConnectAsync(AnswerAndReadAsync, clock: Clock);
        await ExpectEarlyAnswerAsync(peer, 1000, sent: 10);
        await _reads.WaitAsync();

        Clock.Advance(TimeSpan.FromSeconds(4.5));
        Assert.Empty(await peer.SynchronizeAsync());
        Clock.Advance(TimeSpan.FromSeconds(0.7));

        await ExpectEndOfRequestAsync(peer);
        await peer.ExpectEndOfStreamAsync();
        var failure = await Assert.ThrowsAsync<BadHttpRequestException>(() => _read.Task.Within("the body"));
        Assert.Equal(408, failure.StatusCode);
    }

    [Fact]
    [HardInput("B6")]
    public async Task A_read_that_begins_when_the_body_is_given_up_fails()
    {
        SyncPoint givenUp = "the end of the request on the wire";
        var peer = await StartAndConnectAsync(context => AnswerAndReadAsync(context, givenUp), clock: Clock);
        await ExpectEarlyAnswerAsync(peer, 1000, sent: 10);

        // The answer is out a moment before the time begins to count.
        Assert.Empty(await peer.SynchronizeAsync());
        Clock.Advance(TimeSpan.FromMilliseconds(150));
        await ExpectEndOfRequestAsync(peer);
        givenUp.Reach();

        await Assert.ThrowsAsync<BadHttpRequestException>(() => _read.Task.Within("the body"));
    }

    /// <summary>By TCP a web server only ends its direction to leave; see docs/evidence/hard-inputs.md.</summary>
    [Theory, ClassData(typeof(UnixTransports))]
    [HardInput("B6")]
    public async Task A_read_behind_the_answer_fails_when_the_peer_ends_its_direction(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, AnswerAndReadAsync, clock: Clock);
        await ExpectEarlyAnswerAsync(peer, 1000, sent: 10);
        await _reads.WaitAsync();

        peer.ShutdownSend();

        await Assert.ThrowsAsync<BadHttpRequestException>(() => _read.Task.Within("the body"));
        await ExpectEndOfRequestAsync(peer);
        await peer.ExpectEndOfStreamAsync();
    }

    private Task AnswerAsync(HttpContext context)
    {
        context.Response.StatusCode = 413;
        context.Response.OnCompleted(_ended.Reach);
        return context.Response.WriteAsync("too much");
    }

    private Task AnswerAndReadAsync(HttpContext context) => AnswerAndReadAsync(context, null);

    private async Task AnswerAndReadAsync(HttpContext context, SyncPoint? readsAfter)
    {
        await context.Response.WriteAsync("early");
        await context.Response.CompleteAsync();
        await (readsAfter?.WaitAsync() ?? Task.CompletedTask);
        try
        {
            var count = 0;
            var buffer = new byte[1000];
            var reading = context.Request.Body.ReadAsync(buffer);
            while (await reading is > 0 and var more)
            {
                count += more;
                reading = context.Request.Body.ReadAsync(buffer);
                _reads.Reach();
            }

            _read.TrySetResult(count);
        }
        catch (Exception exception)
        {
            _read.TrySetException(exception);
        }
    }

    /// <summary>Sends the first bytes of a body. Returns the records up to the empty STDOUT.</summary>
    private static async Task<CgiResponse> ExpectEarlyAnswerAsync(ScriptedPeer peer, int length, int sent)
    {
        await peer.SendAsync(BeginPost(length).Stdin(1, new byte[sent]));
        List<WireRecord> records = [];
        do
        {
            records.Add(await peer.ExpectRecordAsync(1));
            Assert.Equal(WireRecord.Stdout, records[^1].Type);
        }
        while (records[^1].Content.Length > 0);
        return CgiResponse.From(records);
    }

    private static async Task ExpectEndOfRequestAsync(ScriptedPeer peer) =>
        Assert.Equal(WireRecord.EndRequest, (await peer.ExpectRecordAsync(1)).Type);
}
