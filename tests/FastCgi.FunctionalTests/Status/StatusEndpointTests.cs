namespace FastCgi.FunctionalTests.Status;

/// <summary>The endpoint that serves the pages of the server and nothing else.</summary>
public sealed class StatusEndpointTests : FunctionalTest
{
    private string SocketPath => Path.Combine(Folder, "status.sock");

    [Fact]
    public async Task The_endpoint_has_the_pages_and_nothing_else()
    {
        await StartWithEndpointAsync();
        await using var peer = await ConnectToStatusAsync();

        Assert.Contains("accepted conn:        0\n", (await peer.RoundTripAsync(Get("/status"))).BodyText, StringComparison.Ordinal);
        Assert.Equal("pong", (await peer.RoundTripAsync(Get("/ping"))).BodyText);
        Assert.Equal(404, (await peer.RoundTripAsync(Get("/"))).StatusCode);
        Assert.Equal(404, (await peer.RoundTripAsync(Post(new byte[100_000], "/upload"))).StatusCode);
    }

    /// <summary>A page with status 200 would be a permission.</summary>
    [Fact]
    public async Task An_authorizer_gets_no_page()
    {
        await StartWithEndpointAsync();
        await using var peer = await ConnectToStatusAsync();
        Assert.Equal(500, (await peer.RoundTripAsync(Get("/ping") with { Role = 2 })).StatusCode);

        var application = await ConnectAsync();
        Assert.Equal("application", (await application.RoundTripAsync(Get("/ping") with { Role = 2 })).BodyText);
    }

    [Fact]
    public async Task The_endpoints_of_the_application_have_no_status_then()
    {
        await StartWithEndpointAsync();
        var peer = await ConnectAsync();

        Assert.Equal(403, (await peer.RoundTripAsync(Get("/status"))).StatusCode);
        Assert.Equal("application", (await peer.RoundTripAsync(Get("/"))).BodyText);
    }

    [Fact]
    public async Task The_address_is_not_published_as_one_of_the_application()
    {
        await StartWithEndpointAsync();

        Assert.StartsWith("fastcgi://127.0.0.1:", Server.Address, StringComparison.Ordinal);
        Assert.Contains(Logs.Entries, entry => entry.Message
            == $"The status page and the ping are served on fastcgi://unix:{SocketPath}.");
    }

    [Fact]
    public async Task The_socket_has_its_mode_and_goes_with_the_server()
    {
        await StartWithEndpointAsync();
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal((UnixFileMode)0b110_110_000, File.GetUnixFileMode(SocketPath));
        }

        await Server.StopAsync();

        Assert.False(File.Exists(SocketPath));
    }

    /// <summary>Each has a descriptor of the process.</summary>
    [Fact]
    public async Task The_endpoint_has_no_place_for_an_endless_number_of_connections()
    {
        await StartWithEndpointAsync();
        var peers = new List<ScriptedPeer>();
        for (var i = 0; i < 100; i++)
        {
            peers.Add(EndsWithTest(await ConnectToStatusAsync()));
        }

        var refused = EndsWithTest(await ConnectToStatusAsync());

        await refused.ExpectEndOfStreamAsync();
        Assert.Equal("pong", (await peers[^1].RoundTripAsync(Get("/ping"))).BodyText);
    }

    [Fact]
    public async Task A_connection_that_asks_nothing_ends()
    {
        await StartWithEndpointAsync(Clock);
        var silent = EndsWithTest(await ConnectToStatusAsync());
        var asking = EndsWithTest(await ConnectToStatusAsync());
        Assert.Equal("pong", (await asking.RoundTripAsync(Get("/ping"))).BodyText);

        await Clock.PassUntilAsync(silent.ExpectEndOfStreamAsync());
        await asking.ExpectEndOfStreamAsync();
    }

    [Theory]
    [InlineData(
        null,
        null,
        "fastcgi://127.0.0.1:0",
        "FastCgi:Status:Endpoint is 'fastcgi://127.0.0.1:0', but there is no page")]
    [InlineData("/page", "/page", null, "are both '/page'")]
    [InlineData("/status", null, "nowhere:x", "FastCgi:Status:Endpoint cannot be used. The address 'nowhere:x'")]
    [InlineData("/status", null, "fastcgi://*:0", "can be reached from other machines")]
    public async Task What_cannot_be_served_stops_the_start(
        string? path, string? pingPath, string? address, string message)
    {
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(
            Write(""),
            options =>
            {
                options.Status.Path = path;
                options.Status.PingPath = pingPath;
                options.Status.Endpoint = address;
            }));

        Assert.Contains(message, refused.Message, StringComparison.Ordinal);
    }

    private Task StartWithEndpointAsync(TimeProvider? clock = null) => StartAsync(
        ServerTransport.SocketsOnTcp,
        Write("application"),
        options =>
        {
            options.Status.Path = "/status";
            options.Status.PingPath = "/ping";
            options.Status.Endpoint = $"unix:{SocketPath}";
            options.Status.UnixMode = (UnixFileMode)0b110_110_000;
        },
        clock);

    private Task<ScriptedPeer> ConnectToStatusAsync() =>
        ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(SocketPath));
}
