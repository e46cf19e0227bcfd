namespace FastCgi.FunctionalTests.Bodies;

/// <summary>Answers that are out before the body has ended.</summary>
public sealed class EarlyAnswerTests : FunctionalTest
{
    private readonly ManualTimeProvider _clock = new();
    private readonly SyncPoint _ended = "the end of the response";

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B6")]
    public async Task The_answer_goes_out_at_once_and_END_REQUEST_with_the_end_of_the_body(ServerTransport transport)
    {
        var peer = await StartEarlyAsync(transport);
        await peer.SendAsync(BeginPost(100_000).Stdin(1, new byte[1000]));

        var answer = await ExpectAnswerAsync(peer);
        Assert.Equal((413, "too much", true), (answer.StatusCode, answer.BodyText, answer.IsStdoutEnded));
        Assert.Empty(await peer.SynchronizeAsync());
        await peer.SendAsync(new RecordBuilder().Stdin(1, new byte[99_000]).EndStdin());

        Assert.Equal(WireRecord.EndRequest, (await peer.ExpectRecordAsync(1)).Type);
        Assert.Equal(413, (await peer.RoundTripAsync(Post("small"))).StatusCode);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B6")]
    public async Task END_REQUEST_follows_when_nothing_came_for_a_moment(ServerTransport transport)
    {
        var peer = await StartEarlyAsync(transport);
        await peer.SendAsync(BeginPost(100_000).Stdin(1, new byte[1000]));
        await ExpectAnswerAsync(peer);
        await _ended.WaitAsync();

        _clock.Advance(TimeSpan.FromMilliseconds(149));
        Assert.Empty(await peer.SynchronizeAsync());
        _clock.Advance(TimeSpan.FromMilliseconds(1));

        Assert.Equal(WireRecord.EndRequest, (await peer.ExpectRecordAsync(1)).Type);

        // More of the body could come at any moment, so the connection is not used again.
        await peer.ExpectEndOfStreamAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B6")]
    public async Task A_body_that_keeps_coming_is_given_up_after_the_limit(ServerTransport transport)
    {
        var peer = await StartEarlyAsync(transport);
        await peer.SendAsync(BeginPost(100_000_000).Stdin(1, new byte[1000]));
        await ExpectAnswerAsync(peer);
        await _ended.WaitAsync();

        for (var elapsed = TimeSpan.Zero; elapsed < TimeSpan.FromSeconds(4.9); elapsed += TimeSpan.FromMilliseconds(100))
        {
            await peer.SendAsync(new RecordBuilder().Stdin(1, new byte[1000]));
            Assert.Empty(await peer.SynchronizeAsync());
            _clock.Advance(TimeSpan.FromMilliseconds(100));
        }

        await peer.SendAsync(new RecordBuilder().Stdin(1, new byte[1000]));
        Assert.Empty(await peer.SynchronizeAsync());
        _clock.Advance(TimeSpan.FromMilliseconds(300));
        Assert.Equal(WireRecord.EndRequest, (await peer.ExpectRecordAsync(1)).Type);
        await peer.ExpectEndOfStreamAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B6")]
    public async Task A_peer_that_closes_instead_is_no_error(ServerTransport transport)
    {
        var peer = await StartEarlyAsync(transport);
        await peer.SendAsync(BeginPost(100_000).Stdin(1, new byte[1000]));
        await ExpectAnswerAsync(peer);
        await peer.DisposeAsync();

        const int ConnectionStop = 2;
        await Logs.WaitForAsync(
            entry => entry.EventId.Id == ConnectionStop && entry.Category == "FastCgi.AspNetCore.Connections",
            "the end of the connection");
    }

    private Task<ScriptedPeer> StartEarlyAsync(ServerTransport transport) => StartAndConnectAsync(
        transport,
        context =>
        {
            context.Response.StatusCode = 413;
            context.Response.OnCompleted(() =>
            {
                _ended.Reach();
                return Task.CompletedTask;
            });
            return context.Response.WriteAsync("too much");
        },
        clock: _clock);

    /// <summary>The records up to the empty STDOUT.</summary>
    private static async Task<CgiResponse> ExpectAnswerAsync(ScriptedPeer peer)
    {
        List<WireRecord> records = [];
        do
        {
            records.Add(await peer.ExpectRecordAsync(1));
            Assert.Equal(WireRecord.Stdout, records[^1].Type);
        }
        while (records[^1].Content.Length > 0);
        return CgiResponse.From(records);
    }
}
