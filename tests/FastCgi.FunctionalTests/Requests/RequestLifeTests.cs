namespace FastCgi.FunctionalTests.Requests;

/// <summary>Rows R of the hard inputs.</summary>
public sealed class RequestLifeTests : FunctionalTest
{
    private const int Overloaded = 2;
    private const int UnknownRole = 3;

    /// <summary>What a peer must not send, in front of anything else.</summary>
    private static readonly Dictionary<string, RecordBuilder> s_violations = new()
    {
        ["a BEGIN without a body"] = new RecordBuilder().Record(1, 1, []),
        ["a BEGIN of 7 bytes"] = new RecordBuilder().Record(1, 1, [0, 1, 1, 0, 0, 0, 0]),
        ["a BEGIN of 9 bytes"] = new RecordBuilder().Record(1, 1, [0, 1, 1, 0, 0, 0, 0, 0, 0]),
        ["a BEGIN of 16 bytes"] = new RecordBuilder().Record(1, 1, [0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ["a request of id 0"] = new RecordBuilder().Begin(id: 0),
        ["a body before the end of the params"] =
            new RecordBuilder().Begin().Params(1, Get().ToParams()).Stdin(1, "early"u8),
    };

    private int _runs;

    public static TheoryData<string> Violations { get; } = [.. s_violations.Keys];

    [Theory, MemberData(nameof(Violations))]
    [HardInput("R1", "R2", "R9")]
    public async Task A_violation_drops_the_connection(string violation)
    {
        var peer = await StartAndConnectAsync(CountAsync);

        await peer.SendAsync(s_violations[violation]);

        Assert.Empty(await peer.ExpectClosedAsync());
        Assert.Equal(0, _runs);
        await AssertServesAnotherConnectionAsync();
    }

    [Fact]
    [HardInput("R3")]
    public async Task The_highest_id_is_served()
    {
        var peer = await StartAndConnectAsync(CountAsync);

        foreach (var id in (int[])[65_535, 256, 255, 1])
        {
            await AssertServesAsync(peer, id);
        }
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("R4")]
    public async Task An_id_that_is_in_use_drops_the_connection(ServerTransport transport)
    {
        var peer = await StartAndEnterAsync(
            transport,
            context => context.Request.Path == "/wait" ? WaitForAbortAsync(context) : Task.CompletedTask,
            Get("/wait"));

        await peer.SendAsync(new RecordBuilder().Begin());

        Assert.Empty(await peer.ExpectClosedAsync());
        await Aborted.WaitAsync();
        await AssertServesAnotherConnectionAsync();
    }

    [Fact]
    [HardInput("R5")]
    public async Task An_unknown_role_is_refused_and_its_records_are_ignored()
    {
        var peer = await StartAndConnectAsync(CountAsync);

        foreach (var role in (int[])[0, 3, 4, 65_535])
        {
            var refusal = await peer.RoundTripAsync(Get() with { Role = role });
            Assert.Equal((UnknownRole, 500), (refusal.ProtocolStatus, refusal.StatusCode));
            Assert.Contains("a responder and an authorizer", refusal.BodyText, StringComparison.Ordinal);
        }

        Assert.Empty(await peer.SynchronizeAsync());
        Assert.Equal(0, _runs);
        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("R6")]
    public async Task Records_of_an_id_that_nobody_has_are_ignored()
    {
        var peer = await StartAndConnectAsync(CountAsync);
        var stray = new RecordBuilder()
            .Params(9, Get().ToParams()).EndParams(9).Stdin(9, "body"u8).EndStdin(9).Abort(9).Data(9, "data"u8).ToArray();

        await peer.SendAsync(stray);
        Assert.Empty(await peer.SynchronizeAsync());
        await AssertServesAsync(peer, id: 9);
        await peer.SendAsync(stray);

        Assert.Empty(await peer.SynchronizeAsync());
        Assert.Equal(1, _runs);
        await AssertServesAsync(peer);
    }

    [Theory, InlineData(false), InlineData(true)]
    [HardInput("R7")]
    public async Task The_limit_of_a_connection_and_of_the_whole_server_is_kept(bool isOfServer)
    {
        var peer = await StartAndConnectAsync(WaitAsync, options =>
        {
            options.Limits.MaxConcurrentRequests = isOfServer ? 1 : null;
            options.Limits.MaxConcurrentRequestsPerConnection = isOfServer ? 100 : 1;
        });
        await EnterAsync(peer, Get());

        var refused = await (isOfServer ? await ConnectAsync() : peer).RoundTripAsync(Get() with { Id = 2 });
        GoOn.Reach();

        Assert.Equal((503, Overloaded), (refused.StatusCode, refused.ProtocolStatus));
        Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
    }

    [Fact]
    [HardInput("R7")]
    public async Task An_answered_request_makes_room_for_the_next_at_once()
    {
        var peer = await StartAndConnectAsync(
            async context =>
            {
                context.Response.OnCompleted(() => GoOn.WaitAsync());
                await context.Response.WriteAsync("answered");
            },
            options => options.Limits.MaxConcurrentRequests = 1);

        Assert.Equal(200, (await peer.RoundTripAsync(Get())).StatusCode);
        var rejected = await peer.RoundTripAsync(Get() with { Method = "NO METHOD" });
        Assert.Equal(200, (await (await ConnectAsync()).RoundTripAsync(Get())).StatusCode);

        Assert.Equal(400, rejected.StatusCode);
        GoOn.Reach();
    }

    [Fact]
    [HardInput("R7")]
    public async Task An_aborted_request_counts_until_its_application_has_returned()
    {
        var peer = await StartAndEnterAsync(WaitAsync, Get(), options => options.Limits.MaxConcurrentRequests = 1);
        await peer.SendAsync(new RecordBuilder().Abort());
        await Aborted.WaitAsync();

        Assert.Equal(503, (await (await ConnectAsync()).RoundTripAsync(Get())).StatusCode);
        GoOn.Reach();
    }

    /// <summary>Else BEGIN, PARAMS and ABORT start as many handlers as a peer likes (the pattern of CVE-2023-44487).</summary>
    [Fact]
    [HardInput("R7")]
    public async Task An_aborted_request_keeps_its_place_on_the_connection_until_its_application_has_returned()
    {
        const int Allowed = 5;
        const int Begun = 200;
        var peer = await StartAndConnectAsync(
            context => context.Request.Path == "/wait" ? CountAndWaitAsync(context) : Task.CompletedTask,
            options => options.Limits.MaxConcurrentRequestsPerConnection = Allowed);
        var records = new RecordBuilder();
        for (var i = 0; i < Begun; i++)
        {
            records.Request(Get("/wait")).Abort();
        }

        await peer.SendAsync(records);
        var refused = 0;
        for (var i = 0; i < Begun; i++)
        {
            refused += (await peer.ExpectResponseAsync()).ProtocolStatus == Overloaded ? 1 : 0;
        }

        Assert.Equal(Begun - Allowed, refused);
        Assert.InRange(_runs, 0, Allowed);
        await AssertServesAnotherConnectionAsync();

        GoOn.Reach();
        CgiResponse next;
        do
        {
            // The first of them leaves in a moment.
            next = await peer.RoundTripAsync(Get());
        }
        while (next.ProtocolStatus == Overloaded);
        Assert.Equal(200, next.StatusCode);
    }

    [Fact]
    [HardInput("R8")]
    public async Task Params_after_their_end_never_dispatch_again()
    {
        var peer = await StartAndEnterAsync(CountAndWaitAsync, BeginPost(3));

        await peer.SendAsync(new RecordBuilder().EndParams().Params(1, Get("/other").ToParams()).EndParams());
        Assert.Empty(await peer.SynchronizeAsync());
        GoOn.Reach();
        Assert.Equal(200, (await peer.RoundTripAsync(EndBody("abc"u8))).StatusCode);
        Assert.Equal(1, _runs);
    }

    [Fact]
    [HardInput("R10", "R11")]
    public async Task Data_and_a_body_behind_its_end_are_ignored()
    {
        var peer = await StartAndEnterAsync(async context =>
        {
            await WaitAsync(context);
            await EchoAsync(context);
        }, BeginPost(3).Data(1, "data"u8).Stdin(1, "abc"u8).EndStdin());
        await peer.SendAsync(new RecordBuilder().Stdin(1, "def"u8).EndStdin().Data(1, []));
        Assert.Empty(await peer.SynchronizeAsync());
        GoOn.Reach();

        Assert.Equal("abc", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("R12")]
    public async Task A_request_sent_behind_another_is_served(ServerTransport transport)
    {
        var ids = Enumerable.Range(1, 50).ToList();
        var peer = await StartAndConnectAsync(transport, EchoAsync);

        await peer.SendAsync(ids.Aggregate(
            new RecordBuilder(), (all, id) => all.Request(Post($"body of {id}") with { Id = id })));

        foreach (var id in ids)
        {
            Assert.Equal($"body of {id}", (await peer.ExpectResponseAsync(id)).BodyText);
        }
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("R4")]
    public async Task An_id_begun_again_before_its_end_never_mixes_two_answers(ServerTransport transport)
    {
        await StartAsync(transport, WritePathAsync);
        // In use or just free, dropped or served: which of them, is a matter of microseconds, and so there are many rounds.
        for (var round = 0; round < 500; round++)
        {
            await using var peer = await Server.ConnectAsync();
            await peer.SendAsync(new RecordBuilder().Request(Get("/old")));
            Thread.SpinWait(round * 20);
            await peer.SendAsync(new RecordBuilder().Request(Get("/new") with { KeepConnection = false }));

            var records = await peer.ExpectClosedAsync();
            var old = records.TakeWhile(record => record.Type != WireRecord.EndRequest).ToList();
            Assert.DoesNotContain("/new", CgiResponse.From(old).BodyText, StringComparison.Ordinal);
            Assert.InRange(old.Count(record => record.Content.Length == 0), 0, 1);
        }
    }

    [Fact]
    [HardInput("R14")]
    public async Task An_id_is_free_right_after_its_abort()
    {
        var peer = await StartAndEnterAsync(async context =>
        {
            if (context.Request.Path == "/old")
            {
                await WaitAsync(context);
            }

            await WritePathAsync(context);
        }, Get("/old"));

        await peer.SendAsync(new RecordBuilder().Abort().Request(Get("/new")));

        Assert.Empty((await peer.ExpectResponseAsync()).Stdout);
        Assert.Equal("/new", (await peer.ExpectResponseAsync()).BodyText);
        GoOn.Reach();
        Assert.Empty(await peer.SynchronizeAsync());
        await AssertServesAsync(peer);
    }

    private Task CountAsync(HttpContext context)
    {
        Interlocked.Increment(ref _runs);
        return Task.CompletedTask;
    }

    private async Task CountAndWaitAsync(HttpContext context)
    {
        Interlocked.Increment(ref _runs);
        await WaitAsync(context);
    }
}
