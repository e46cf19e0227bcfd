namespace FastCgi.FunctionalTests.Connections;

public sealed class MultiplexingTests : FunctionalTest
{
    private static readonly RequestDelegate s_echo =
        context => context.Request.Body.CopyToAsync(context.Response.Body);

    [Theory, ClassData(typeof(Transports))]
    public async Task Two_interleaved_requests_keep_their_bodies(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, s_echo);

        await peer.SendAsync(BeginPost(4, id: 1));
        await peer.SendAsync(BeginPost(4, id: 2));
        await peer.SendAsync(new RecordBuilder().Stdin(1, "ab"u8).Stdin(2, "AB"u8).Stdin(1, "cd"u8).Stdin(2, "CD"u8));
        await peer.SendAsync(new RecordBuilder().EndStdin(2).EndStdin(1));

        Assert.Equal("abcd", (await peer.ExpectResponseAsync(1)).BodyText);
        Assert.Equal("ABCD", (await peer.ExpectResponseAsync(2)).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Params_of_two_requests_may_interleave(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport, context => context.Response.WriteAsync(context.Request.Path.Value!));
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

    [Theory, ClassData(typeof(Transports))]
    public async Task A_slow_request_does_not_hold_up_the_other(ServerTransport transport)
    {
        SyncPoint goOn = "the test to let the slow one go on";
        SyncPoint entered = "the slow handler";
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (context.Request.Path == "/slow")
            {
                entered.Reach();
                await goOn.WaitAsync();
            }

            await context.Response.WriteAsync(context.Request.Path.Value!);
        });

        await peer.SendRequestAsync(target: "/slow", id: 1);
        await entered.WaitAsync();
        Assert.Equal("/quick", (await peer.RoundTripAsync(Get("/quick") with { Id = 2 })).BodyText);
        goOn.Reach();

        Assert.Equal("/slow", (await peer.ExpectResponseAsync(1)).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_body_that_nobody_reads_does_not_hold_up_the_other(ServerTransport transport)
    {
        SyncPoint goOn = "the test to let the slow one go on";
        SyncPoint entered = "the slow handler";
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                if (context.Request.Path == "/slow")
                {
                    entered.Reach();
                    await goOn.WaitAsync();
                }

                await s_echo(context);
            },
            options => options.Limits.MaxRequestBufferSize = 10_000);
        var body = new byte[100_000];
        Random.Shared.NextBytes(body);
        var request = Post(body, "/slow");

        await peer.SendRequestAsync(target: "/quick", id: 2, body: [], method: "POST");
        await peer.ExpectResponseAsync(2);
        await peer.SendAsync(new RecordBuilder().Begin(2));
        await peer.SendAsync(new RecordBuilder().Request(request));
        await entered.WaitAsync();
        await peer.SendAsync(new RecordBuilder().Params(2, Get("/quick").ToParams()).EndParams(2).EndStdin(2));

        Assert.Equal(200, (await peer.ExpectResponseAsync(2)).StatusCode);
        goOn.Reach();
        Assert.Equal(body, (await peer.ExpectResponseAsync(1)).Body);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Pipelined_requests_with_different_ids_are_all_served(ServerTransport transport)
    {
        const int Count = 50;
        var peer = await StartAndConnectAsync(
            transport, context => context.Response.WriteAsync(context.Request.Path.Value!));
        var all = new RecordBuilder();
        for (var id = 1; id <= Count; id++)
        {
            all.Request(Get($"/{id}") with { Id = id });
        }

        await peer.SendAsync(all);

        for (var id = 1; id <= Count; id++)
        {
            Assert.Equal($"/{id}", (await peer.ExpectResponseAsync(id)).BodyText);
        }
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Beyond_the_limit_requests_are_refused_as_overloaded(ServerTransport transport)
    {
        const int Overloaded = 2;
        SyncPoint goOn = "the test to let the first one go on";
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                await goOn.WaitAsync();
                await context.Response.WriteAsync("served");
            },
            options => options.Limits.MaxConcurrentRequestsPerConnection = 1);

        await peer.SendRequestAsync(id: 1);
        await peer.SendRequestAsync(id: 2);
        var refused = await peer.ExpectResponseAsync(2);
        goOn.Reach();

        Assert.Equal((503, Overloaded), (refused.StatusCode, refused.ProtocolStatus));
        Assert.Equal("served", (await peer.ExpectResponseAsync(1)).BodyText);
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

    [Theory, ClassData(typeof(Transports))]
    public async Task A_body_that_is_given_up_leaves_the_connection_to_the_others(ServerTransport transport)
    {
        SyncPoint entered = "the slow handler";
        SyncPoint goOn = "the test to let the slow one go on";
        var clock = new ManualTimeProvider();
        var peer = await StartAndConnectAsync(transport, WaitOrAnswerAsync(entered, goOn), clock: clock);
        await peer.SendRequestAsync(target: "/slow", id: 2);
        await entered.WaitAsync();
        await peer.SendAsync(BeginPost(1000, id: 1).Stdin(1, new byte[10]));
        await peer.ExpectResponseStartAsync(1);
        Assert.DoesNotContain(await peer.SynchronizeAsync(), record => record.Type == WireRecord.EndRequest);
        clock.Advance(TimeSpan.FromMilliseconds(150));
        Assert.Equal(0, (await peer.ExpectResponseAsync(1)).ProtocolStatus);

        Assert.Equal("/quick", (await peer.RoundTripAsync(Get("/quick") with { Id = 3 })).BodyText);
        goOn.Reach();

        Assert.Equal("/slow", (await peer.ExpectResponseAsync(2)).BodyText);
        await AssertServesAsync(peer, id: 1);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task What_begins_on_a_connection_that_is_about_to_close_is_refused_at_once(ServerTransport transport)
    {
        const int Overloaded = 2;
        SyncPoint entered = "the slow handler";
        SyncPoint goOn = "the test to let the slow one go on";
        var peer = await StartAndConnectAsync(transport, WaitOrAnswerAsync(entered, goOn));
        await peer.SendRequestAsync(target: "/slow", id: 1);
        await entered.WaitAsync();
        await peer.RoundTripAsync(Get("/last") with { Id = 2, KeepConnection = false });

        var refused = await peer.RoundTripAsync(Get("/late") with { Id = 3 });
        Assert.Equal((503, Overloaded), (refused.StatusCode, refused.ProtocolStatus));
        goOn.Reach();

        Assert.Equal("/slow", (await peer.ExpectResponseAsync(1)).BodyText);
        await peer.ExpectEndOfStreamAsync();
    }

    private static RequestDelegate WaitOrAnswerAsync(SyncPoint entered, SyncPoint goOn) => async context =>
    {
        if (context.Request.Path == "/slow")
        {
            entered.Reach();
            await goOn.WaitAsync();
        }

        await context.Response.WriteAsync(context.Request.Path.Value!);
    };
}
