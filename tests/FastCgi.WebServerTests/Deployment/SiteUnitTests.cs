namespace FastCgi.WebServerTests.Deployment;

/// <summary>The documented template units under a systemd that runs: activation, restart, stop, reload, idle exit.</summary>
[Trait("Category", "Slow")]
public sealed class SiteUnitTests
{
    private const string Service = "site@shop.service";
    private const string Socket = "site@shop.socket";

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task A_site_starts_with_its_first_request_and_keeps_its_socket()
    {
        await using var manager = await UserSystemd.StartAsync();
        await manager.RunAsync("start", Socket);
        Assert.Equal("inactive", await manager.RunAsync("is-active", Service));
        Assert.Equal("shop", await AskAsync(manager));
        Assert.Equal("active", await manager.RunAsync("is-active", Service));

        await manager.RunAsync("restart", Service);
        Assert.True(File.Exists(manager.SocketPath("shop")), "A restart has removed the socket.");
        Assert.Equal("shop", await AskAsync(manager));

        await manager.RunAsync("stop", Service);
        Assert.True(File.Exists(manager.SocketPath("shop")), "A stop has removed the socket.");
        Assert.Equal("shop", await AskAsync(manager));

        await manager.RunAsync("stop", Socket, Service);
        Assert.False(File.Exists(manager.SocketPath("shop")), "The socket's unit has left its file behind.");
    }

    [Fact]
    public async Task A_reload_keeps_the_process_and_the_status_tells_of_it()
    {
        await using var manager = await UserSystemd.StartAsync();
        await manager.RunAsync("start", Socket);
        Assert.Equal("shop", await AskAsync(manager));
        var before = await manager.RunAsync("show", "--property=MainPID", Service);
        Assert.StartsWith(
            "StatusText=", await manager.RunAsync("show", "--property=StatusText", Service), StringComparison.Ordinal);

        await manager.RunAsync("reload", Service);

        Assert.Equal("shop", await AskAsync(manager));
        Assert.Equal(before, await manager.RunAsync("show", "--property=MainPID", Service));
        // kill has returned; the application tells systemd of the reload's begin and end afterwards.
        await BecomesAsync(manager, "active");
    }

    [Fact]
    public async Task A_site_that_nobody_asks_ends_and_the_next_request_starts_it_again()
    {
        await using var manager = await UserSystemd.StartAsync("FastCgi__ExitWhenIdleFor=00:00:01");
        await manager.RunAsync("start", Socket);
        for (var i = 0; i < 2; i++)
        {
            Assert.Equal("shop", await AskAsync(manager));
            await BecomesAsync(manager, "inactive");
            Assert.Equal("active", await manager.RunAsync("is-active", Socket));
        }
    }

    private static async Task BecomesAsync(UserSystemd manager, string state)
    {
        var deadline = DateTime.UtcNow + Deadline.Of(_patience);
        while (await manager.RunAsync("is-active", Service) != state && DateTime.UtcNow < deadline)
        {
            await Task.Delay(100);
        }

        Assert.Equal(state, await manager.RunAsync("is-active", Service));
    }

    private static async Task<string> AskAsync(UserSystemd manager)
    {
        // Longer than a unix socket's path may be: a link in a short directory.
        using var directory = new WorkDirectory();
        var link = directory.File("s");
        File.CreateSymbolicLink(link, manager.SocketPath("shop"));
        await using var peer = await ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(link));
        peer.Timeout = _patience;
        return (await peer.RoundTripAsync(new RequestScript { KeepConnection = false })).BodyText;
    }
}
