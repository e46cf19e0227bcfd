namespace FastCgi.FunctionalTests.Responses;

/// <summary>Rows W of the hard inputs.</summary>
public sealed class ResponseFramingTests : FunctionalTest
{
    [Theory, ClassData(typeof(Transports))]
    [HardInput("W1")]
    public async Task Writes_of_every_size_are_framed_exactly(ServerTransport transport)
    {
        int[] sizes = [0, 1, 8, 4095, 4096, 65_480, 65_504, 65_528, 65_535, 65_536, 65_537, 1_048_576];
        var expected = RandomBytes(sizes.Sum(), seed: 6);
        var response = await RespondAsync(transport, async context =>
        {
            var at = 0;
            foreach (var size in sizes)
            {
                await context.Response.Body.WriteAsync(expected.AsMemory(at, size));
                at += size;
            }
        });

        Assert.Equal(expected, response.Body);
        Assert.All(response.Records, record => Assert.Equal(0, record.PaddingLength));
        Assert.Contains(
            "\r\n\r\n", Encoding.Latin1.GetString(response.Records[0].Content), StringComparison.Ordinal);
        var stdout = response.Records.Where(record => record.Type == WireRecord.Stdout).ToList();
        Assert.All(stdout[..^1], record => Assert.NotEmpty(record.Content));
        Assert.Empty(stdout[^1].Content);
        Assert.Equal(WireRecord.EndRequest, response.Records[^1].Type);
    }

    [Fact]
    [HardInput("W5")]
    public async Task A_head_that_fills_a_record_is_sent_and_a_larger_one_is_refused()
    {
        var peer = await StartAndConnectAsync(Run(context =>
        {
            var size = int.Parse(context.Request.Path.Value![1..], null);
            for (var i = 0; i < size / 1000; i++)
            {
                context.Response.Headers[$"X-{i}"] = new string('x', 1000);
            }
        }));
        Logs.ExpectError(ApplicationError);

        var fits = await peer.RoundTripAsync(Get("/60000"));
        Assert.Equal((200, 61), (fits.StatusCode, fits.Headers.Count));
        Assert.Equal(3, fits.Records.Count);
        Assert.Equal(500, (await peer.RoundTripAsync(Get("/70000"))).StatusCode);
        await AssertServesSmallAsync(peer);
    }

    [Fact]
    [HardInput("W5")]
    public async Task A_head_that_nginx_may_refuse_is_warned_of_once()
    {
        var peer = await StartAndConnectAsync(Run(context =>
            context.Response.Headers["X-Large"] = new string('x', 5000)));

        await peer.RoundTripAsync(Get());
        await peer.RoundTripAsync(Get());

        Assert.Single(Logs.Entries, entry => entry.EventId.Id == LargeResponseHead);
    }

    [Fact]
    [HardInput("W6")]
    public async Task Text_for_the_error_log_may_come_before_between_and_after()
    {
        var response = await RespondAsync(async context =>
        {
            var fastCgi = context.Features.Get<IFastCgiRequestFeature>()!;
            await fastCgi.WriteErrorAsync("before "u8.ToArray());
            await context.Response.WriteAsync("one");
            await fastCgi.WriteErrorAsync("between "u8.ToArray());
            await context.Response.WriteAsync("two");
            await fastCgi.WriteErrorAsync("after"u8.ToArray());
        });

        Assert.Equal(("before between after", "onetwo"), (response.StderrText, response.BodyText));
        Assert.Equal(WireRecord.EndRequest, response.Records[^1].Type);
    }

    /// <summary>The text is sent, and the response goes on.</summary>
    [Theory, ClassData(typeof(Transports))]
    [HardInput("W6")]
    public async Task The_wait_of_text_for_the_error_log_may_be_given_up(ServerTransport transport)
    {
        using var giveUp = new CancellationTokenSource();
        var text = new string('t', 50_000);
        var texts = 0;
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                var fastCgi = context.Features.Get<IFastCgiRequestFeature>()!;
                var write = Task.CompletedTask;
                while (write.IsCompleted)
                {
                    texts++;
                    write = fastCgi.WriteErrorAsync(Encoding.ASCII.GetBytes(text), giveUp.Token).AsTask();
                }

                Entered.Reach();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => write);
                await context.Response.WriteAsync("whole");
            },
            options => options.Limits.MaxResponseBufferSize = 0);
        await EnterAsync(peer, Get());
        await giveUp.CancelAsync();

        var response = await peer.ExpectResponseAsync();

        Assert.Equal((200, "whole"), (response.StatusCode, response.BodyText));
        Assert.Equal(texts * text.Length, response.StderrText.Length);
        await AssertServesSmallAsync(peer);
    }

    [Fact]
    public async Task CancelPendingFlush_ends_a_flush_and_no_wait_of_text_for_the_error_log()
    {
        var text = new byte[2_000_000];
        text.AsSpan().Fill((byte)'t');
        var peer = await StartAndConnectAsync(async context =>
        {
            var log = context.Features.Get<IFastCgiRequestFeature>()!.WriteErrorAsync(text).AsTask();
            context.Response.BodyWriter.CancelPendingFlush();
            Assert.True((await context.Response.BodyWriter.WriteAsync("whole"u8.ToArray())).IsCanceled);
            Assert.False(log.IsCompleted);
            Entered.Reach();
            await log;
        });
        await EnterAsync(peer, Get());

        var response = await peer.ExpectResponseAsync();

        Assert.Equal(("whole", text.Length), (response.BodyText, response.StderrText.Length));
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("W7")]
    public async Task A_slow_reader_gets_every_byte(ServerTransport transport)
    {
        var expected = RandomBytes(2_000_000, seed: 7);
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            for (var at = 0; at < expected.Length; at += 50_000)
            {
                await context.Response.Body.WriteAsync(expected.AsMemory(at, 50_000));
            }
        });
        await peer.SendRequestAsync();

        var cutter = new RecordCutter();
        List<WireRecord> records = [];
        var buffer = new byte[1777];
        while (records.Count == 0 || records[^1].Type != WireRecord.EndRequest)
        {
            var received = await peer.Socket.ReceiveAsync(buffer).Within("more of the answer");
            cutter.Add(buffer.AsSpan(0, received));
            while (cutter.Take() is { } record)
            {
                records.Add(record);
            }
        }

        Assert.Equal(expected, CgiResponse.From(records).Body);
    }

    private static async Task AssertServesSmallAsync(ScriptedPeer peer) =>
        Assert.Equal(200, (await peer.RoundTripAsync(Get("/0"))).StatusCode);
}
