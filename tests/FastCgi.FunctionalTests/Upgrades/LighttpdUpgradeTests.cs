namespace FastCgi.FunctionalTests.Upgrades;

/// <summary>
/// A peer that behaves as lighttpd from 1.4.74 does with <c>"upgrade" => "enable"</c>: it never ends STDIN, passes the
/// client's Upgrade and Connection, and after a head with status 101 the two streams are the two directions.
/// </summary>
public sealed class LighttpdUpgradeTests : UpgradeTest
{
    private static readonly RequestScript s_upgrade = Get() with
    {
        KeepConnection = false,
        Headers = [("Connection", "upgrade"), ("Upgrade", "mine")],
        ExtraParams = [("CONTENT_LENGTH", "0")],
    };

    [Theory, ClassData(typeof(Transports))]
    public async Task The_streams_are_the_two_directions(ServerTransport transport)
    {
        var peer = await StartAndConnectUpgradingAsync(transport, UpgradeAndEchoAsync);

        await peer.SendAsync(Begin(s_upgrade));
        var head = await peer.ExpectResponseStartAsync();
        Assert.Equal((101, "Upgrade", "mine"), (head.StatusCode, head.Header("Connection"), head.Header("Upgrade")));
        foreach (var text in (string[])["one", "two"])
        {
            await peer.SendAsync(new RecordBuilder().Stdin(1, Encoding.ASCII.GetBytes(text)));
            Assert.Equal(text, Encoding.ASCII.GetString((await peer.ExpectRecordAsync()).Content));
        }

        await AssertEchoesLastAsync(peer, "end.");
        await peer.ExpectEndOfStreamAsync();
    }

    /// <summary>
    /// lighttpd judges each line as it comes (http_response_process_headers), and drops Upgrade unless the status was
    /// 101 by then. A client without that header ends the connection.
    /// </summary>
    [Fact]
    public async Task The_head_is_still_an_upgrade_when_each_line_is_judged_as_it_comes()
    {
        var peer = await StartAndConnectUpgradingAsync(UpgradeAndEchoAsync);

        await peer.SendAsync(Begin(s_upgrade));
        var head = await peer.ExpectResponseStartAsync();

        Assert.Equal("101; Connection: Upgrade; Upgrade: mine", JudgeAsLighttpd(head.Head));
        await AssertEchoesLastAsync(peer, "end.");
    }

    [Fact]
    public async Task An_end_of_the_empty_body_is_not_the_end_of_what_follows()
    {
        var peer = await StartAndConnectUpgradingAsync(UpgradeAndEchoAsync);

        await peer.SendAsync(Begin(s_upgrade).EndStdin(1));
        await peer.ExpectResponseStartAsync();
        await peer.SendAsync(new RecordBuilder().EndStdin(1).Stdin(1, "after."u8));

        Assert.Equal("after.", Encoding.ASCII.GetString((await peer.ExpectResponseAsync()).Stdout));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task The_end_of_the_stream_ends_the_read(ServerTransport transport)
    {
        var peer = await StartAndConnectUpgradingAsync(transport, UpgradeAndEchoAsync);

        await peer.SendAsync(Begin(s_upgrade));
        await peer.ExpectResponseStartAsync();
        await peer.SendAsync(new RecordBuilder().Stdin(1, "last"u8).EndStdin(1));

        Assert.Equal("last", Encoding.ASCII.GetString((await peer.ExpectResponseAsync()).Stdout));
    }

    [Fact]
    public async Task An_ordinary_request_with_a_body_is_answered_without_the_end_of_its_stream()
    {
        var peer = await StartAndConnectUpgradingAsync(
            async context =>
            {
                using var reader = new StreamReader(context.Request.Body);
                await context.Response.WriteAsync(await reader.ReadToEndAsync());
            },
            Clock);

        await peer.SendAsync(BeginPost(4, keepConnection: false).Stdin(1, "body"u8));

        // With its END_REQUEST, though no time has passed in which the end of the body could have been given up.
        var response = await peer.ExpectResponseAsync();
        Assert.Equal(("body", 0), (response.BodyText, response.ProtocolStatus));
    }

    /// <summary>As curl --http2 sends an upload without a length. Nobody knows its end before STDIN ends.</summary>
    [Fact]
    [HardInput("S13")]
    public async Task A_body_that_has_begun_is_read_to_its_end_and_forbids_the_upgrade()
    {
        var peer = await StartAndConnectUpgradingAsync(async context =>
        {
            var feature = context.Features.Get<IHttpUpgradeFeature>();
            using var reader = new StreamReader(context.Request.Body);
            var body = await reader.ReadToEndAsync();
            await context.Response.WriteAsync($"{body} {feature?.IsUpgradableRequest == true}");
        });

        var request = s_upgrade with { Method = "POST", ExtraParams = [] };
        await peer.SendAsync(Begin(request).Stdin(1, "be"u8).Stdin(1, "gun"u8).EndStdin(1));

        Assert.Equal("begun False", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Fact]
    public async Task A_request_that_declines_leaves_the_connection_to_one_that_does_not()
    {
        var peer = await StartAndConnectUpgradingAsync(context =>
            context.Request.Path == "/no" ? context.Response.WriteAsync("no") : UpgradeAndEchoAsync(context));
        var kept = s_upgrade with { KeepConnection = true };

        var declined = await peer.RoundTripAsync(Begin(kept with { Target = "/no" }));
        Assert.Equal((200, "no", 0), (declined.StatusCode, declined.BodyText, declined.ProtocolStatus));

        await peer.SendAsync(Begin(kept));
        Assert.Equal(101, (await peer.ExpectResponseStartAsync()).StatusCode);
        await AssertEchoesLastAsync(peer, "end.");
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_abort_of_the_request_is_the_end(ServerTransport transport)
    {
        var peer = await StartAndConnectUpgradingAsync(transport, async context =>
        {
            await UpgradeAsync(context);
            await WaitForAbortAsync(context);
        });

        await peer.SendAsync(Begin(s_upgrade));
        await peer.ExpectResponseStartAsync();
        await peer.SendAsync(new RecordBuilder().Abort(1));

        await Aborted.WaitAsync();
        Assert.Equal(0, (await peer.ExpectResponseAsync()).ProtocolStatus);
    }

    [Fact]
    public Task Without_the_option_there_is_nothing_to_upgrade() => AssertRespondsAsync(
        (200, null, "True []"),
        context => context.Response.WriteAsync(
            $"{context.Features.Get<IHttpUpgradeFeature>() is null} [{context.Request.Headers.Connection}]"),
        s_upgrade);

    private Task<ScriptedPeer> StartAndConnectUpgradingAsync(RequestDelegate application, TimeProvider? clock = null) =>
        StartAndConnectUpgradingAsync(Transports.Usual, application, clock);

    private Task<ScriptedPeer> StartAndConnectUpgradingAsync(
        ServerTransport transport, RequestDelegate application, TimeProvider? clock = null) => StartAndConnectAsync(
        transport,
        application,
        options => options.ConfigureEndpointDefaults(endpoint => endpoint.AllowUpgrade = true),
        clock);

    /// <summary>Sends these bytes, and expects no more than them back.</summary>
    private static async Task AssertEchoesLastAsync(ScriptedPeer peer, string text)
    {
        await peer.SendAsync(new RecordBuilder().Stdin(1, Encoding.ASCII.GetBytes(text)));
        Assert.Equal(text, Encoding.ASCII.GetString((await peer.ExpectResponseAsync()).Stdout));
    }

    /// <summary>The status, and the headers that reach the client.</summary>
    private static string JudgeAsLighttpd(string head)
    {
        var status = 0;
        List<string> passed = [];
        foreach (var line in head.Split("\r\n", StringSplitOptions.RemoveEmptyEntries))
        {
            if (line.StartsWith("Status: ", StringComparison.OrdinalIgnoreCase))
            {
                status = status is 0 or 200 ? int.Parse(line[8..11], CultureInfo.InvariantCulture) : status;
            }
            else if (status == 101 || !line.StartsWith("Upgrade:", StringComparison.OrdinalIgnoreCase))
            {
                passed.Add(line);
            }
        }

        return string.Join("; ", passed.Order().Prepend($"{status}"));
    }
}
