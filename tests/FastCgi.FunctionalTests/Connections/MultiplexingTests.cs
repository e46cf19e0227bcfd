namespace FastCgi.FunctionalTests.Connections;

public sealed class MultiplexingTests : FunctionalTest
{
    private const int Overloaded = 2;

    [Fact]
    public async Task Params_of_two_requests_may_interleave()
    {
        var peer = await StartAndConnectAsync(WritePathAsync);
        var first = new RecordBuilder().Params(1, Get("/first").ToParams(), recordSize: 20).EndParams(1).EndStdin(1);
        var second = new RecordBuilder().Params(2, Get("/other").ToParams(), recordSize: 20).EndParams(2).EndStdin(2);
        await peer.SendAsync(new RecordBuilder().Begin(1).Begin(2));

        foreach (var (a, b) in Records(first).Zip(Records(second)))
        {
            await peer.SendAsync(a.Concat(b).ToArray());
        }

        Assert.Equal("/first", (await peer.ExpectResponseAsync(1)).BodyText);
        Assert.Equal("/other", (await peer.ExpectResponseAsync(2)).BodyText);
    }

    [Fact]
    public async Task A_body_that_is_given_up_leaves_the_connection_to_the_others()
    {
        var peer = await StartAndEnterAsync(WaitIfSlowAsync, Get("/slow") with { Id = 2 }, clock: Clock);
        await peer.SendAsync(BeginPost(1000, id: 1).Stdin(1, new byte[10]));
        await peer.ExpectResponseStartAsync(1);
        Assert.DoesNotContain(await peer.SynchronizeAsync(), record => record.Type == WireRecord.EndRequest);
        Clock.Advance(TimeSpan.FromMilliseconds(150));
        Assert.Equal(0, (await peer.ExpectResponseAsync(1)).ProtocolStatus);

        Assert.Equal("/quick", (await peer.RoundTripAsync(Get("/quick") with { Id = 3 })).BodyText);
        GoOn.Reach();

        Assert.Equal("/slow", (await peer.ExpectResponseAsync(2)).BodyText);
        await AssertServesAsync(peer, id: 1);
    }

    [Fact]
    public async Task What_begins_on_a_connection_that_is_about_to_close_is_refused_at_once()
    {
        var peer = await StartAndEnterAsync(WaitIfSlowAsync, Get("/slow") with { Id = 1 });
        await peer.RoundTripAsync(Get("/last") with { Id = 2, KeepConnection = false });

        var refused = await peer.RoundTripAsync(Get("/late") with { Id = 3 });
        Assert.Equal((503, Overloaded), (refused.StatusCode, refused.ProtocolStatus));
        GoOn.Reach();

        Assert.Equal("/slow", (await peer.ExpectResponseAsync(1)).BodyText);
        await peer.ExpectEndOfStreamAsync();
    }

    private async Task WaitIfSlowAsync(HttpContext context)
    {
        if (context.Request.Path == "/slow")
        {
            await WaitAsync(context);
        }

        await WritePathAsync(context);
    }

    private static IEnumerable<byte[]> Records(RecordBuilder builder)
    {
        var bytes = builder.ToArray();
        for (var start = 0; start < bytes.Length;)
        {
            var length = 8 + (bytes[start + 4] << 8) + bytes[start + 5] + bytes[start + 6];
            yield return bytes[start..(start + length)];
            start += length;
        }
    }
}
