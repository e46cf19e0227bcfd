using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.FunctionalTests.Upgrades;

/// <summary>
/// A peer that behaves as lighttpd from 1.4.74 does with <c>"upgrade" => "enable"</c>: it never ends STDIN, passes the
/// client's Upgrade and Connection, and after a head with status 101 the two streams are the two directions.
/// </summary>
public sealed class LighttpdUpgradeTests : FunctionalTest
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
        var peer = await StartAndConnectUpgradingAsync(transport, EchoAsync);

        await peer.SendAsync(BeginWithoutEnd(s_upgrade));
        var head = await peer.ExpectResponseStartAsync();
        Assert.Equal((101, "Upgrade", "mine"), (head.StatusCode, head.Header("Connection"), head.Header("Upgrade")));
        foreach (var text in (string[])["one", "two"])
        {
            await peer.SendAsync(new RecordBuilder().Stdin(1, Encoding.ASCII.GetBytes(text)));
            Assert.Equal(text, Encoding.ASCII.GetString((await peer.ExpectRecordAsync()).Content));
        }

        await peer.SendAsync(new RecordBuilder().Stdin(1, "end."u8.ToArray()));
        Assert.Equal("end.", Encoding.ASCII.GetString((await peer.ExpectResponseAsync()).Stdout));
        await peer.ExpectEndOfStreamAsync();
    }

    /// <summary>
    /// lighttpd judges each line as it comes (http_response_process_headers), and drops Upgrade unless the status was
    /// 101 by then. A client without that header ends the connection.
    /// </summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task The_head_is_still_an_upgrade_when_each_line_is_judged_as_it_comes(ServerTransport transport)
    {
        var peer = await StartAndConnectUpgradingAsync(transport, EchoAsync);

        await peer.SendAsync(BeginWithoutEnd(s_upgrade));
        var head = await peer.ExpectResponseStartAsync();

        Assert.Equal("101; Connection: Upgrade; Upgrade: mine", JudgeAsLighttpd(head.Head));
        await peer.SendAsync(new RecordBuilder().Stdin(1, "end."u8.ToArray()));
        await peer.ExpectResponseAsync();
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_end_of_the_empty_body_is_not_the_end_of_what_follows(ServerTransport transport)
    {
        var peer = await StartAndConnectUpgradingAsync(transport, EchoAsync);

        await peer.SendAsync(BeginWithoutEnd(s_upgrade).EndStdin(1));
        await peer.ExpectResponseStartAsync();
        await peer.SendAsync(new RecordBuilder().EndStdin(1).Stdin(1, "after."u8.ToArray()));

        Assert.Equal("after.", Encoding.ASCII.GetString((await peer.ExpectResponseAsync()).Stdout));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task The_end_of_the_stream_ends_the_read(ServerTransport transport)
    {
        var peer = await StartAndConnectUpgradingAsync(transport, EchoAsync);

        await peer.SendAsync(BeginWithoutEnd(s_upgrade));
        await peer.ExpectResponseStartAsync();
        await peer.SendAsync(new RecordBuilder().Stdin(1, "last"u8.ToArray()).EndStdin(1));

        Assert.Equal("last", Encoding.ASCII.GetString((await peer.ExpectResponseAsync()).Stdout));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_ordinary_request_with_a_body_is_answered_without_the_end_of_its_stream(ServerTransport transport)
    {
        var clock = new ManualTimeProvider();
        var peer = await StartAndConnectUpgradingAsync(
            transport, async context =>
            {
                using var reader = new StreamReader(context.Request.Body);
                await context.Response.WriteAsync(await reader.ReadToEndAsync());
            }, clock);

        await peer.SendAsync(BeginPost(4, keepConnection: false).Stdin(1, "body"u8.ToArray()));

        // With its END_REQUEST, though no time has passed in which the end of the body could have been given up.
        var response = await peer.ExpectResponseAsync();
        Assert.Equal(("body", 0), (response.BodyText, response.ProtocolStatus));
    }

    /// <summary>As curl --http2 sends an upload without a length. Nobody knows its end before STDIN ends.</summary>
    [Theory, ClassData(typeof(Transports))]
    [HardInput("S13")]
    public async Task A_body_that_has_begun_is_read_to_its_end_and_forbids_the_upgrade(ServerTransport transport)
    {
        var peer = await StartAndConnectUpgradingAsync(transport, async context =>
        {
            var feature = context.Features.Get<IHttpUpgradeFeature>();
            using var reader = new StreamReader(context.Request.Body);
            var body = await reader.ReadToEndAsync();
            await context.Response.WriteAsync($"{body} {feature?.IsUpgradableRequest == true}");
        });

        var request = s_upgrade with { Method = "POST", ExtraParams = [] };
        await peer.SendAsync(BeginWithoutEnd(request).Stdin(1, "be"u8.ToArray()).Stdin(1, "gun"u8.ToArray()).EndStdin(1));

        Assert.Equal("begun False", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_request_that_declines_leaves_the_connection_to_one_that_does_not(ServerTransport transport)
    {
        var peer = await StartAndConnectUpgradingAsync(transport, context =>
            context.Request.Path == "/no" ? context.Response.WriteAsync("no") : EchoAsync(context));
        var kept = s_upgrade with { KeepConnection = true };

        await peer.SendAsync(BeginWithoutEnd(kept with { Target = "/no" }));
        var declined = await peer.ExpectResponseAsync();
        Assert.Equal((200, "no", 0), (declined.StatusCode, declined.BodyText, declined.ProtocolStatus));

        await peer.SendAsync(BeginWithoutEnd(kept));
        Assert.Equal(101, (await peer.ExpectResponseStartAsync()).StatusCode);
        await peer.SendAsync(new RecordBuilder().Stdin(1, "end."u8.ToArray()));
        Assert.Equal("end.", Encoding.ASCII.GetString((await peer.ExpectResponseAsync()).Stdout));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task An_abort_of_the_request_is_the_end(ServerTransport transport)
    {
        SyncPoint aborted = "RequestAborted";
        var peer = await StartAndConnectUpgradingAsync(transport, async context =>
        {
            using var registration = context.RequestAborted.Register(aborted.Reach);
            await UpgradeAsync(context);
            await aborted.WaitAsync();
        });

        await peer.SendAsync(BeginWithoutEnd(s_upgrade));
        await peer.ExpectResponseStartAsync();
        await peer.SendAsync(new RecordBuilder().Abort(1));

        await aborted.WaitAsync();
        Assert.Equal(0, (await peer.ExpectResponseAsync()).ProtocolStatus);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Without_the_option_there_is_nothing_to_upgrade(ServerTransport transport)
    {
        var response = await RespondAsync(
            transport,
            context => context.Response.WriteAsync(
                $"{context.Features.Get<IHttpUpgradeFeature>() is null} [{context.Request.Headers.Connection}]"),
            s_upgrade);

        Assert.Equal("True []", response.BodyText);
    }

    private async Task<ScriptedPeer> StartAndConnectUpgradingAsync(
        ServerTransport transport, RequestDelegate application, TimeProvider? clock = null)
    {
        await StartAsync(transport, application, clock: clock, configure: static builder =>
            builder.Configuration["FastCgi:EndpointDefaults:AllowUpgrade"] = "true");
        return await ConnectAsync();
    }

    private static RecordBuilder BeginWithoutEnd(RequestScript script) => new RecordBuilder()
        .Begin(script.Id, keepConnection: script.KeepConnection)
        .Params(script.Id, script.ToParams())
        .EndParams(script.Id);

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

    private static Task<Stream> UpgradeAsync(HttpContext context)
    {
        context.Response.Headers.Upgrade = "mine";
        return context.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync();
    }

    private static async Task EchoAsync(HttpContext context)
    {
        var stream = await UpgradeAsync(context);
        var buffer = new byte[100];
        int count;
        do
        {
            count = await stream.ReadAsync(buffer);
            await stream.WriteAsync(buffer.AsMemory(0, count));
        }
        while (count > 0 && buffer[count - 1] != '.');
    }
}
