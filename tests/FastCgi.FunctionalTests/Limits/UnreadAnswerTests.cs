namespace FastCgi.FunctionalTests.Limits;

/// <summary>Rows R7 and R13 of the hard inputs: a peer that sends and sends, and does not read what it gets for it.</summary>
public sealed class UnreadAnswerTests : FunctionalTest
{
    private const int Overloaded = 2;
    private const int Count = 10_000;

    /// <summary>Of a peer that does not read, or TCP would take megabytes before the server has anything unsent.</summary>
    private const int SmallBuffer = 16 * 1024;

    private const int LargeBuffer = 4 * 1024 * 1024;

    // For all of it on a busy machine; none of this is about speed.
    private static readonly TimeSpan s_long = TimeSpan.FromMinutes(1);

    // Ten thousand of these are more than the buffers of a socket take.
    private static readonly string s_more = new('.', 4000);

    private readonly SyncPoint _full = "a flush that waits";
    private readonly SyncPoint _enough = "the test to have read enough";
    private int _entered;

    [Theory, ClassData(typeof(Transports))]
    [HardInput("R13")]
    public async Task Ten_thousand_requests_whose_answers_are_never_read_are_dropped_in_time(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, EchoPathAndMoreAsync, Patience(60), Clock);
        peer.Socket.ReceiveBufferSize = SmallBuffer;
        var sending = SendQuietlyAsync(peer, Count);

        // Its unread answers are as many as may wait: nothing more is read from it, and then it is given up.
        await Logs.WaitForAsync(PeerDoesNotRead, s_long);
        Clock.Advance(TimeSpan.FromSeconds(62));
        await Logs.WaitForAsync(SendTimedOut);
        await sending.Within("the end of the sending", deadline: s_long);

        await AssertServesAnotherConnectionAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("R13")]
    public async Task A_peer_that_reads_late_gets_every_answer(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, EchoPathAndMoreAsync, Patience(60), Clock);
        peer.Socket.ReceiveBufferSize = SmallBuffer;
        peer.Timeout = s_long;
        var sending = SendAsync(peer, Count);
        await Logs.WaitForAsync(PeerDoesNotRead, s_long);

        // A small window would make TCP wait for acknowledgements: minutes for what is a second of work.
        peer.Socket.ReceiveBufferSize = LargeBuffer;

        // Served or, where too many were at work at the moment, refused: one right answer for each.
        var served = 0;
        var answers = new Dictionary<int, List<WireRecord>>();
        for (var ended = 0; ended < Count;)
        {
            var record = await peer.ExpectRecordAsync();
            if (!answers.TryGetValue(record.RequestId, out var records))
            {
                answers[record.RequestId] = records = [];
            }

            records.Add(record);
            if (record.Type == WireRecord.EndRequest)
            {
                ended++;
                var response = CgiResponse.From(records);
                if (response.ProtocolStatus == Overloaded)
                {
                    Assert.Equal(503, response.StatusCode);
                }
                else
                {
                    Assert.Equal($"/{record.RequestId}" + s_more, response.BodyText);
                    served++;
                }
            }
        }

        await sending;
        Assert.True(served >= 100, $"Only {served} were served.");
        Assert.Empty(await peer.SynchronizeAsync());
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("R7")]
    public async Task All_ids_begun_at_once_are_answered_when_the_peer_reads_at_last(ServerTransport transport)
    {
        const int All = 65_535;
        const int Allowed = 100;
        var peer = await StartAndConnectAsync(transport, WritePathAsync);
        peer.Timeout = s_long;
        var begins = new RecordBuilder();
        for (var id = 1; id <= All; id++)
        {
            begins.Begin(id);
        }

        var sending = peer.SendAsync(begins);
        await Logs.WaitForAsync(PeerDoesNotRead, s_long);

        for (var id = Allowed + 1; id <= All; id++)
        {
            var head = await peer.ExpectRecordAsync();
            var stdoutEnd = await peer.ExpectRecordAsync();
            var end = await peer.ExpectRecordAsync();
            Assert.Contains("Status: 503 ", Encoding.Latin1.GetString(head.Content), StringComparison.Ordinal);
            Assert.Equal((id, id, id), (head.RequestId, stdoutEnd.RequestId, end.RequestId));
            Assert.Equal((WireRecord.EndRequest, Overloaded), (end.Type, end.Content[4]));
        }

        await sending;
        for (var id = 1; id <= Allowed; id++)
        {
            await peer.SendAsync(
                new RecordBuilder().Params(id, Get($"/{id}").ToParams()).EndParams(id).EndStdin(id));
            Assert.Equal($"/{id}", (await peer.ExpectResponseAsync(id)).BodyText);
        }

        await AssertServesAsync(peer);
        await AssertServesAnotherConnectionAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("R13")]
    public async Task A_peer_that_reads_slowly_but_steadily_is_not_dropped(ServerTransport transport)
    {
        const int Step = 4 * 1024 * 1024;
        var peer = await StartAndConnectAsync(transport, CountOnAsync, Patience(60), Clock);
        await peer.SendRequestAsync();
        var read = 0L;
        var next = 0L;

        // Three minutes and more, in pauses of ten seconds: no pause is too long, all of them together would be.
        for (var end = (long)Step; end <= 20L * Step; end += Step)
        {
            while (read < end)
            {
                (read, next) = Check(await peer.ExpectRecordAsync(), read, next);
            }

            Clock.Advance(TimeSpan.FromSeconds(10));
        }

        _enough.Reach();
        WireRecord record;
        while ((record = await peer.ExpectRecordAsync()).Type != WireRecord.EndRequest)
        {
            (read, next) = Check(record, read, next);
        }

        Assert.DoesNotContain(Logs.Entries, entry => entry.EventId.Id == SendTimedOut);
        await AssertServesAnotherConnectionAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("R13")]
    public async Task A_response_that_nobody_takes_is_aborted_in_time(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport,
            async context =>
            {
                if (context.Request.Path != "/endless")
                {
                    return;
                }

                // Never taken back: the loop may see the cancellation before its callbacks have run.
                context.RequestAborted.Register(Aborted.Reach);
                var block = new byte[64 * 1024];
                while (!context.RequestAborted.IsCancellationRequested)
                {
                    var write = context.Response.Body.WriteAsync(block);
                    if (!write.IsCompleted)
                    {
                        _full.Reach();
                    }

                    await write;
                }
            },
            Patience(60),
            Clock);
        await peer.SendRequestAsync(target: "/endless");
        await _full.WaitAsync();

        // The socket may take a little more, by itself, after the first flush that waited: the clock goes on until it
        // takes nothing.
        var timedOut = Logs.WaitForAsync(SendTimedOut);
        while (!timedOut.IsCompleted)
        {
            Clock.Advance(TimeSpan.FromSeconds(62));
            await Task.Yield();
        }

        await timedOut;
        await Aborted.WaitAsync();
        await AssertServesAnotherConnectionAsync();
    }

    private static Action<FastCgiServerOptions> Patience(int seconds) =>
        options => options.Limits.SendTimeout = TimeSpan.FromSeconds(seconds);

    /// <summary>
    /// Not faster than handlers begin, or most requests would be refused and their answers be small. Once the first
    /// flush waits, as fast as they are taken.
    /// </summary>
    private async Task SendAsync(ScriptedPeer peer, int count)
    {
        const int Batch = 50;
        for (var first = 1; first <= count; first += Batch)
        {
            var requests = new RecordBuilder();
            for (var id = first; id < first + Batch; id++)
            {
                requests.Request(Get($"/{id}") with { Id = id });
            }

            await peer.SendAsync(requests);
            while (!_full.IsReached && Volatile.Read(ref _entered) < first + Batch - 1)
            {
                await Task.Yield();
            }
        }
    }

    private async Task EchoPathAndMoreAsync(HttpContext context)
    {
        Interlocked.Increment(ref _entered);
        var write = context.Response.WriteAsync(context.Request.Path.Value + s_more);
        if (!write.IsCompleted)
        {
            _full.Reach();
        }

        await write;
    }

    /// <summary>Numbers, eight bytes each, until the test has read enough; asked for anything else, nothing.</summary>
    private async Task CountOnAsync(HttpContext context)
    {
        var block = new byte[64 * 1024];
        for (var next = 0L; !_enough.IsReached && !context.RequestAborted.IsCancellationRequested;)
        {
            for (var at = 0; at < block.Length; at += 8)
            {
                BitConverter.TryWriteBytes(block.AsSpan(at), next++);
            }

            await context.Response.Body.WriteAsync(block);
        }
    }

    /// <summary>The bytes of <see cref="CountOnAsync"/> in their order, whatever the records cut.</summary>
    private static (long Read, long Next) Check(WireRecord record, long read, long next)
    {
        Assert.Equal(WireRecord.Stdout, record.Type);
        var content = record.Content;
        if (content.AsSpan().StartsWith("Status: "u8))
        {
            content = content[(content.AsSpan().IndexOf("\r\n\r\n"u8) + 4)..];
        }

        foreach (var value in content)
        {
            if (value != (byte)(next >> (int)(read % 8 * 8)))
            {
                Assert.Fail($"Byte {read} of the response is wrong.");
            }

            read++;
            next += read % 8 == 0 ? 1 : 0;
        }

        return (read, next);
    }

    /// <summary>Until all is sent or the server has closed.</summary>
    private async Task SendQuietlyAsync(ScriptedPeer peer, int count)
    {
        peer.Timeout = s_long;
        try
        {
            await SendAsync(peer, count);
        }
        catch (SocketException)
        {
        }
    }
}
