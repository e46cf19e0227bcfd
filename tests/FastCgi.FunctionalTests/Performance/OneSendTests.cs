namespace FastCgi.FunctionalTests.Performance;

/// <summary>
/// What an inline run flushes leaves when the run ends. The monitor stands still meanwhile: it would send the flushed
/// bytes of a run whose thread the system took away.
/// </summary>
[Collection(nameof(Alone))]
public sealed class OneSendTests : FunctionalTest
{
    public static MatrixTheoryData<ServerTransport, int> Answers =>
        new(Transports.All, Enumerable.Range(0, s_answers.Length));

    public static MatrixTheoryData<ServerTransport, bool> Waits { get; } = new(Transports.All, [false, true]);

    private static readonly RequestDelegate[] s_answers =
    [
        Write("small"),
        async context =>
        {
            await context.Response.WriteAsync("sm");
            await context.Response.Body.FlushAsync();
            await context.Response.WriteAsync("all");
        },
        Run(context =>
        {
            context.Response.ContentLength = 5;
            "small"u8.CopyTo(context.Response.BodyWriter.GetSpan(5));
            context.Response.BodyWriter.Advance(5);
        }),
        async context =>
        {
            await context.Response.StartAsync();
            await context.Response.BodyWriter.WriteAsync("small"u8.ToArray());
            await context.Response.CompleteAsync();
        },
    ];

    [Theory, MemberData(nameof(Answers))]
    public async Task A_small_answer_is_one_record_its_end_and_the_end_of_the_request(
        ServerTransport transport, int answer)
    {
        var peer = await StartAndConnectAsync(transport, s_answers[answer]);
        CgiResponse response;
        using (new StillMonitor())
        {
            response = await peer.RoundTripAsync(Get());
        }

        Assert.Equal("small", response.BodyText);
        Assert.Equal(
            [WireRecord.Stdout, WireRecord.Stdout, WireRecord.EndRequest],
            response.Records.Select(record => record.Type));
        Assert.Empty(response.Records[1].Content);
        Assert.All(response.Records, record => Assert.Equal((1, 1, 0), (record.Version, record.RequestId, record.PaddingLength)));
        Assert.Equal((0u, 0), (response.AppStatus, response.ProtocolStatus));
    }

    /// <summary>
    /// The flush that completes the declared length waits for the end, until the monitor ticks: also where the handler
    /// has really awaited, whose other flushes leave at once, and where the run ends before the handler does.
    /// </summary>
    [Theory, MemberData(nameof(Waits))]
    public async Task What_completes_the_length_waits_for_the_end_of_the_handler(
        ServerTransport transport, bool hasAwaited)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            if (hasAwaited)
            {
                await Task.Yield();
            }

            context.Response.ContentLength = 5;
            await context.Response.WriteAsync("small");
            Entered.Reach();
            await GoOn.WaitAsync();
        });
        using (new StillMonitor())
        {
            await EnterAsync(peer, Get());
            Assert.Empty(await peer.SynchronizeAsync());
        }

        var start = await peer.ExpectResponseStartAsync();
        GoOn.Reach();
        Assert.Equal("small", start.BodyText);
        await ExpectEndAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task The_first_event_of_a_stream_leaves_at_once(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            await Task.Yield();
            await context.Response.WriteAsync("first");
            await GoOn.WaitAsync();
        });
        using (new StillMonitor())
        {
            await peer.SendRequestAsync(Get());
            Assert.Equal("first", (await peer.ExpectResponseStartAsync()).BodyText);
        }

        GoOn.Reach();
        await ExpectEndAsync(peer);
    }

    private static async Task ExpectEndAsync(ScriptedPeer peer)
    {
        Assert.Empty((await peer.ExpectRecordAsync()).Content);
        Assert.Equal(WireRecord.EndRequest, (await peer.ExpectRecordAsync()).Type);
    }
}
