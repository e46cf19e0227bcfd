using Microsoft.Extensions.Hosting;

namespace FastCgi.FunctionalTests.Upgrades;

/// <summary>Which requests may take their connection over, and which may not.</summary>
public sealed class UpgradeRuleTests : UpgradeTest
{
    [Fact]
    public async Task Before_the_upgrade_the_body_is_empty_and_after_it_the_response_is_not_written_to()
    {
        var seen = new TaskCompletionSource<string>();
        var peer = await StartAndConnectScgiAsync(async context =>
        {
            var before = await context.Request.Body.ReadAsync(new byte[10]);
            var response = context.Response.Body;
            var stream = await UpgradeAsync(context);
            var refused = await Assert.ThrowsAsync<InvalidOperationException>(
                () => response.WriteAsync("x"u8.ToArray()).AsTask());
            var twice = await Assert.ThrowsAsync<InvalidOperationException>(() => UpgradeAsync(context));
            seen.SetResult($"{before} {refused.Message} {twice.Message} {context.Response.HasStarted}");
            await stream.WriteAsync("end"u8.ToArray());
        });

        await peer.SendAsync(UpgradeRequest);

        await peer.ExpectTextAsync(HeadOfUpgrade + "end");
        await peer.ExpectEndOfStreamAsync();
        Assert.Equal(
            "0 The connection was upgraded: write to the stream that UpgradeAsync returned. " +
            "The connection has been upgraded already. True",
            await seen.Task.Within("the application"));
    }

    [Fact]
    public async Task A_request_may_decline_its_own_upgrade()
    {
        var peer = await StartAndConnectScgiAsync(context =>
            context.Response.WriteAsync($"{context.Request.Headers.Connection} {IsUpgradable(context)}"));

        var response = await peer.RoundTripAsync(UpgradeRequest);

        Assert.Equal((200, "keep-alive, Upgrade True"), (response.StatusCode, response.BodyText));
        Assert.Null(response.Header("Connection"));
    }

    /// <summary>nginx up to 1.22 sends a param for each line of the client.</summary>
    [Fact]
    public async Task Any_line_of_Connection_may_ask_for_it()
    {
        await StartScgiAsync(context => context.Response.WriteAsync($"{IsUpgradable(context)}"));
        foreach (var (first, last) in ((string, string)[])[("Upgrade", "keep-alive"), ("keep-alive", "Upgrade")])
        {
            var request = Get() with
            {
                Headers = [("Connection", first), ("Upgrade", "mine"), ("Connection", last)],
            };
            Assert.Equal("True", (await (await ConnectScgiAsync()).RoundTripAsync(request)).BodyText);
        }
    }

    [Fact]
    [HardInput("S13")]
    public async Task What_does_not_ask_properly_is_not_upgradable()
    {
        await StartScgiAsync(context => context.Response.WriteAsync($"{IsUpgradable(context)}"));
        RequestScript[] improper =
        [
            Get(),
            Get() with { Headers = [("Upgrade", "mine")] },
            Get() with { Headers = [("Connection", "Upgrade")] },
            Get() with { Headers = [("Connection", "upgrades, keep-alive"), ("Upgrade", "mine")] },
            UpgradeRequest with { ExtraParams = [("SERVER_PROTOCOL", "HTTP/1.0")] },
            UpgradeRequest with { ExtraParams = [("SERVER_PROTOCOL", "HTTP/2.0")] },
            UpgradeRequest with { Method = "POST", Body = "x"u8.ToArray() },
        ];
        foreach (var request in improper)
        {
            Assert.Equal("False", (await (await ConnectScgiAsync()).RoundTripAsync(request)).BodyText);
        }
    }

    [Fact]
    public async Task An_endpoint_may_forbid_it()
    {
        await StartAsync(context => context.Response.WriteAsync($"{IsUpgradable(context)}"), configure: builder =>
        {
            builder.Configuration["FastCgi:EndpointDefaults:Protocol"] = "Scgi";
            builder.Configuration["FastCgi:EndpointDefaults:AllowUpgrade"] = "false";
        });

        Assert.Equal("", (await (await ConnectScgiAsync()).RoundTripAsync(UpgradeRequest)).BodyText);
    }

    [Fact]
    public async Task In_a_stop_no_further_connection_is_upgraded()
    {
        await StartScgiAsync(context =>
        {
            var answer = context.Response.WriteAsync($"{IsUpgradable(context)}");
            context.RequestServices.GetRequiredService<IHostApplicationLifetime>().StopApplication();
            return answer;
        });

        Assert.Equal("True", (await (await ConnectScgiAsync()).RoundTripAsync(UpgradeRequest)).BodyText);
        Assert.Equal("False", (await (await ConnectScgiAsync()).RoundTripAsync(UpgradeRequest)).BodyText);
    }

    [Fact]
    [HardInput("S15")]
    public async Task The_limit_counts_what_is_open()
    {
        await StartScgiAsync(
            async context =>
            {
                try
                {
                    await UpgradeAndEchoAsync(context);
                }
                catch (InvalidOperationException refused)
                {
                    await context.Response.WriteAsync(refused.Message);
                }
            },
            options => options.Limits.MaxConcurrentUpgradedConnections = 1);
        var first = await ConnectUpgradedAsync();

        for (var i = 0; i < 2; i++)
        {
            // Twice: one that is refused frees no place.
            var refused = await (await ConnectScgiAsync()).RoundTripAsync(UpgradeRequest);
            Assert.Equal(200, refused.StatusCode);
            Assert.Contains("MaxConcurrentUpgradedConnections", refused.BodyText);
        }

        await first.SendAsync("."u8.ToArray());
        await first.ExpectTextAsync(".");
        await first.ExpectEndOfStreamAsync();
        await ConnectUpgradedAsync();
    }

    /// <summary>As on Kestrel: a few limits of ordinary connections would not last for many WebSockets.</summary>
    [Theory, ClassData(typeof(Transports))]
    public async Task An_upgraded_connection_leaves_its_place_to_an_ordinary_one(ServerTransport transport)
    {
        await StartScgiAsync(
            transport,
            async context =>
            {
                if (IsUpgradable(context) == true)
                {
                    await UpgradeAndEchoAsync(context);
                }
                else
                {
                    await WaitAsync(context);
                    await context.Response.WriteAsync("served");
                }
            },
            options => options.Limits.MaxConcurrentConnections = 1);
        var upgraded = await ConnectUpgradedAsync();

        var ordinary = await ConnectScgiAsync();
        await ordinary.SendAsync(Get());
        await Entered.WaitAsync();
        await (await ConnectScgiAsync()).ExpectEndOfStreamAsync();
        await Logs.WaitForAsync(ConnectionRejected);

        GoOn.Reach();
        Assert.Equal("served", (await ordinary.ExpectResponseAsync()).BodyText);
        await upgraded.SendAsync("."u8.ToArray());
        await upgraded.ExpectTextAsync(".");
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_client_that_has_left_cannot_be_upgraded(ServerTransport transport)
    {
        var refused = new TaskCompletionSource<Exception>();
        var peer = await StartAndConnectScgiAsync(
            transport,
            async context =>
            {
                await WaitForAbortAsync(context);
                refused.SetResult(await Assert.ThrowsAnyAsync<IOException>(() => UpgradeAsync(context)));
            },
            options => options.Limits.MaxConcurrentUpgradedConnections = 1);

        await peer.SendAsync(UpgradeRequest);
        await Entered.WaitAsync();
        peer.Socket.Dispose();

        Assert.Contains("its client has gone", (await refused.Task.Within("the refusal")).Message);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_read_behind_the_end_of_the_response_fails(ServerTransport transport)
    {
        var read = new TaskCompletionSource<int>();
        var peer = await StartAndConnectScgiAsync(transport, async context =>
        {
            var stream = await UpgradeAsync(context);
            await context.Response.CompleteAsync();
            try
            {
                read.SetResult(await stream.ReadAsync(new byte[10]));
            }
            catch (Exception exception)
            {
                read.SetException(exception);
            }
        });

        await peer.SendAsync(UpgradeRequest);
        await peer.ExpectTextAsync(HeadOfUpgrade);
        await peer.ExpectEndOfStreamAsync();

        await Assert.ThrowsAnyAsync<IOException>(() => read.Task.Within("the read"));
    }
}
