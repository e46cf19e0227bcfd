using FastCgi.Protocol;

namespace FastCgi.FunctionalTests.Requests;

/// <summary>Rows F of the hard inputs.</summary>
public sealed class FramingTests : FunctionalTest
{
    public static MatrixTheoryData<ServerTransport, bool> Ends { get; } = new(Transports.All, [true, false]);

    [Theory, ClassData(typeof(Transports))]
    [HardInput("F1")]
    public async Task Version_other_than_one_drops_the_connection(ServerTransport transport)
    {
        await StartAsync(transport, Write("x"));
        foreach (var version in (int[])[0, 2, 255])
        {
            var peer = await ConnectAsync();
            await peer.SendAsync(new RecordBuilder().Record(9, 0, [], version: version));
            Assert.Empty(await peer.ExpectClosedAsync());
        }

        Assert.Equal(
            LogLevel.Debug,
            (await Logs.WaitForAsync(entry => entry.Category == "FastCgi.AspNetCore.BadRequests", "the violation")).Level);
        await AssertServesAnotherConnectionAsync();
    }

    [Fact]
    public async Task An_open_connection_keeps_its_framing_when_the_options_of_the_endpoint_are_changed()
    {
        List<FastCgiListenOptions> endpoints = [];
        var peer = await StartAndConnectAsync(Write("x"), options => options.ConfigureEndpointDefaults(endpoints.Add));
        AssertResponse((200, null, "x"), await peer.RoundTripAsync(Get()));

        endpoints.ForEach(static endpoint => endpoint.Protocol = FastCgiEndpointProtocol.Scgi);

        AssertResponse((200, null, "x"), await peer.RoundTripAsync(Get()));
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("F1")]
    public async Task A_whole_request_in_front_of_the_wrong_bytes_is_not_counted_for_ever(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(
            transport, Write("x"), options => options.Limits.MaxConcurrentRequests = 1);
        await peer.SendAsync(new RecordBuilder().Request(Get()).Record(9, 0, [], version: 2));
        await peer.ExpectClosedAsync();
        await peer.DisposeAsync();

        // Its request still leaves the application, or the stop waits in vain.
        using var deadline = new CancellationTokenSource(Deadline.Default);
        await Server.StopAsync(deadline.Token);
        Assert.False(deadline.IsCancellationRequested);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("F2")]
    public async Task Header_cut_short_then_the_end_closes(ServerTransport transport)
    {
        await StartAsync(transport, Write("x"));
        for (var length = 0; length < 8; length++)
        {
            var peer = await ConnectAsync();
            await peer.SendAsync(new RecordBuilder().Begin().ToArray().AsMemory(0, length));
            peer.ShutdownSend();
            Assert.Empty(await peer.ExpectClosedAsync());
        }

        await AssertServesAnotherConnectionAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("F3")]
    public async Task Largest_content_with_any_padding_is_read(ServerTransport transport)
    {
        var content = RandomBytes(65_535, seed: 5);
        var peer = await StartAndConnectAsync(transport, EchoAsync);
        foreach (var padding in (int[])[0, 1, 255])
        {
            var records = BeginPost(content.Length)
                .Record(8, 1, content, padding)
                .Record(200, 1, content, padding)
                .Record(6, 1, content, padding)
                .Record(5, 1, content, padding)
                .Record(5, 1, [], padding);
            await peer.SendAsync(records);
            Assert.Equal(WireRecord.UnknownType, (await peer.ExpectRecordAsync(0)).Type);
            Assert.Equal(content, (await peer.ExpectResponseAsync()).Body);
        }
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("F4")]
    public async Task One_byte_at_a_time_is_read(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, EchoAsync);
        peer.Socket.ReceiveBufferSize = 4096;

        await peer.SendAsync(Splits.OneByteAtATime(new RecordBuilder().Request(Post("one by one")).ToArray()));

        Assert.Equal("one by one", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Fact]
    [HardInput("F4")]
    public async Task Random_cuts_are_read()
    {
        var peer = await StartAndConnectAsync(EchoAsync);
        for (var seed = 0; seed < 10; seed++)
        {
            await peer.SendAsync(Splits.Random(new RecordBuilder().Request(Post($"seed {seed}")).ToArray(), seed));
            Assert.Equal($"seed {seed}", (await peer.ExpectResponseAsync()).BodyText);
        }
    }

    [Fact]
    [HardInput("F5")]
    public async Task Reserved_bytes_and_unknown_flags_are_ignored()
    {
        var peer = await StartAndConnectAsync(Write("x"));

        await peer.SendAsync(new RecordBuilder()
            .Record(1, 1, [0, 1, 0xFF, 1, 2, 3, 4, 5], reserved: 7)
            .Params(1, Get().ToParams())
            .Record(4, 1, [], reserved: 255)
            .Record(5, 1, [], reserved: 1));

        Assert.Equal("x", (await peer.ExpectResponseAsync()).BodyText);
        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("F6")]
    public async Task Random_bytes_drop_the_connection()
    {
        await StartAsync(Write("x"));
        for (var seed = 0; seed < 10; seed++)
        {
            var bytes = RandomBytes(100, seed);
            bytes[0] = (byte)(2 + (seed * 20));
            var peer = await ConnectAsync();
            await peer.SendAsync(bytes);
            Assert.Empty(await peer.ExpectClosedAsync());
        }

        await AssertServesAnotherConnectionAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("F6")]
    public async Task An_HTTP_request_gets_an_explanation_in_HTTP(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, Write("x"));

        await peer.SendAsync(Encoding.ASCII.GetBytes("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));

        var answer = Encoding.ASCII.GetString(await peer.ExpectBytesUntilClosedAsync());
        Assert.StartsWith("HTTP/1.1 400 Bad Request\r\n", answer, StringComparison.Ordinal);
        var body = answer[(answer.IndexOf("\r\n\r\n", StringComparison.Ordinal) + 4)..];
        Assert.Contains($"Content-Length: {body.Length}\r\n", answer, StringComparison.Ordinal);
        Assert.Equal(3, body.Count(character => character == '\n'));
        Assert.Contains("fastcgi_pass", body, StringComparison.Ordinal);
        await AssertServesAnotherConnectionAsync();
    }

    [Fact]
    [HardInput("F6")]
    public async Task Another_protocol_is_named_in_the_log_once_a_minute()
    {
        (byte[] FirstBytes, string Name)[] foreigners =
        [
            ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray(), "HTTP"),
            ([0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3], "TLS"),
            ("PROXY TCP4 192.0.2.1 192.0.2.2 40000 9000\r\n"u8.ToArray(), "PROXY"),
            ("\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0C"u8.ToArray(), "PROXY"),
            ("70:CONTENT_LENGTH\00\0SCGI\01\0"u8.ToArray(), "SCGI"),
        ];
        await StartAsync(Write("x"), clock: Clock);
        foreach (var (firstBytes, name) in foreigners)
        {
            for (var time = 0; time < 2; time++)
            {
                var peer = await ConnectAsync();
                await peer.SendAsync(firstBytes);
                await peer.ExpectBytesUntilClosedAsync();
            }

            var entry = Logs.Entries.Last(entry => entry.EventId.Id == ForeignProtocol);
            Assert.Equal(LogLevel.Warning, entry.Level);
            Assert.Matches($" spoke (the )?{name}", entry.Message);
            Clock.Advance(TimeSpan.FromSeconds(61));
        }

        Assert.Equal(foreigners.Length, Logs.Entries.Count(entry => entry.EventId.Id == ForeignProtocol));
        await AssertServesAnotherConnectionAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("F7")]
    public async Task A_half_close_after_the_request_is_answered_on_unix_and_aborts_on_tcp(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(transport, async context =>
        {
            await WaitAsync(context);
            await context.Response.WriteAsync("answered");
        }, Get());
        peer.ShutdownSend();

        if (transport is ServerTransport.EpollOnUnix or ServerTransport.SocketsOnUnix)
        {
            GoOn.Reach();
            Assert.Equal("answered", (await peer.ExpectResponseAsync()).BodyText);
            await peer.ExpectEndOfStreamAsync();
            Assert.False(Aborted.IsReached);
        }
        else
        {
            await Aborted.WaitAsync();
            GoOn.Reach();
            Assert.Empty(await peer.ExpectClosedAsync());
        }
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("F8")]
    public async Task A_reset_during_the_handler_is_heard(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(transport, WaitForAbortAsync, Get());
        peer.Reset();

        await Aborted.WaitAsync();
        await Server.StopAsync().Within("the end of all requests");
    }

    [Theory, MemberData(nameof(Ends))]
    [HardInput("F8")]
    public async Task A_reset_or_a_close_during_the_response_ends_the_writes(ServerTransport transport, bool isReset)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var piece = new byte[10_000];
            while (!(await context.Response.BodyWriter.WriteAsync(piece)).IsCompleted)
            {
            }

            Left.Reach();
        });

        await peer.SendRequestAsync(Get());
        await peer.ExpectResponseStartAsync();
        if (isReset)
        {
            peer.Reset();
        }
        else
        {
            await peer.DisposeAsync();
        }

        await Left.WaitAsync();
        await Server.StopAsync().Within("the end of all requests");
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("F8")]
    public async Task A_reset_in_every_state_leaks_nothing(ServerTransport transport)
    {
        await StartAsync(transport, EchoAsync);
        var whole = new RecordBuilder().Request(Post(new byte[2000])).ToArray();
        foreach (var length in (int[])[0, 4, 12, 16, 100, whole.Length - 2000, whole.Length - 8, whole.Length])
        {
            var peer = await ConnectAsync();
            await peer.SendAsync(whole.AsMemory(0, length));
            peer.Reset();
        }

        await AssertServesAnotherConnectionAsync();
        await Server.StopAsync().Within("the end of all requests");
    }
}
