using FastCgi.AspNetCore.Tests.Transport;

namespace FastCgi.AspNetCore.Tests.Hosting;

[SupportedOSPlatform("linux")]
public sealed class EndpointTermsTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("fcgi").FullName;
    private readonly string _socketPath;

    public EndpointTermsTests() => _socketPath = Path.Combine(_directory, "app.sock");

    private UnixDomainSocketEndPoint Unix => new(_socketPath);

    private UnixDomainSocketEndPoint Abstract => new($"\0fcgi-{Path.GetFileName(_directory)}");

    [Theory]
    [InlineData("0.0.0.0")]
    [InlineData("::")]
    [InlineData("203.0.113.1")]
    [HardInput("E7")]
    public Task An_endpoint_that_others_can_reach_needs_a_word_about_who_may(string address) =>
        ServerUnderTest.AssertStartFailsAsync<InvalidOperationException>(
            options => options.Listen(IPAddress.Parse(address), 0),
            "AllowedClients", "FCGI_WEB_SERVER_ADDRS", "127.0.0.1", "unix socket", "AllowAnyClient");

    /// <summary>A client of an IPv4 address of a dual socket is that address.</summary>
    [Theory]
    [InlineData("0.0.0.0", "127.0.0.0/8", null, true)]
    [InlineData("::", null, null, true)]
    [InlineData("::", "127.0.0.1/32", null, true)]
    [InlineData("0.0.0.0", null, "10.0.0.5,10.0.0.6", false)]
    [InlineData("127.0.0.1", "127.0.0.1/32", "10.0.0.5,10.0.0.6", false)]
    public async Task A_client_has_to_be_on_the_list_of_the_endpoint_and_of_the_environment(
        string address, string? clients, string? webServers, bool isServed)
    {
        await using var server = await ServerUnderTest.StartNewAsync(
            options => options.Listen(IPAddress.Parse(address), 0, listen =>
            {
                listen.AllowAnyClient = clients is null && webServers is null;
                if (clients is not null)
                {
                    listen.AllowedClients.Add(IPNetwork.Parse(clients));
                }
            }),
            LaunchWith(webServers));

        if (isServed)
        {
            await using var peer = await ConnectAsync(server);
            Assert.Equal("hello", (await peer.RoundTripAsync(new RequestScript())).BodyText);
        }
        else
        {
            await AssertRefusesAsync(server);
        }
    }

    [Fact]
    public async Task A_list_of_the_environment_with_a_bad_entry_admits_nobody_and_says_so()
    {
        await using var server = new ServerUnderTest(launch: LaunchWith("127.0.0.1,10.0.0.0/99"));
        server.Logs.ExpectError(LogEvents.InvalidWebServerAddresses);

        await server.StartAsync();

        var entry = await server.Logs.WaitForAsync(LogEvents.InvalidWebServerAddresses);
        Assert.Contains("'10.0.0.0/99' in the environment variable", entry.Message, StringComparison.Ordinal);
        await AssertRefusesAsync(server);
    }

    [Fact]
    public async Task Refusals_are_logged_once_a_minute_with_their_number()
    {
        var time = new ManualTimeProvider();
        await using var server = new ServerUnderTest(
            static options => options.Listen(IPAddress.Loopback, 0, static listen => listen.AllowedClients.Add(IPNetwork.Parse("10.0.0.5/32"))),
            services: services => services.AddSingleton<TimeProvider>(time));
        await server.StartAsync();

        await AssertRefusesAsync(server);
        await AssertRefusesAsync(server);
        await AssertRefusesAsync(server);
        time.Advance(TimeSpan.FromMinutes(1));
        await AssertRefusesAsync(server);

        var entries = server.Logs.Entries.Where(entry => entry.EventId.Id == LogEvents.ClientRefused).ToList();
        Assert.Equal([1L, 3L], entries.Select(entry => entry.State.Single(pair => pair.Key == "Count").Value));
        Assert.All(entries, entry => Assert.Equal(LogLevel.Information, entry.Level));
    }

    [Fact]
    public async Task The_list_of_the_environment_is_not_for_unix_sockets()
    {
        await using var server = await ServerUnderTest.StartNewAsync(
            options => options.ListenUnixSocket(_socketPath), LaunchWith("10.0.0.5"));

        await AssertServesAsync(Unix);
    }

    [Theory]
    [InlineData("127.0.0.1:0", nameof(FastCgiListenOptions.UnixMode))]
    [InlineData("127.0.0.1:0", nameof(FastCgiListenOptions.UnixOwner))]
    [InlineData("127.0.0.1:0", nameof(FastCgiListenOptions.UnixGroup))]
    [InlineData("unix:", nameof(FastCgiListenOptions.AllowedClients))]
    [InlineData("unix:@", nameof(FastCgiListenOptions.UnixMode))]
    [InlineData("unix:@", nameof(FastCgiListenOptions.AllowedClients))]
    public async Task A_setting_that_cannot_keep_anybody_out_is_refused(string address, string setting)
    {
        EndPoint endPoint = address switch
        {
            "unix:" => Unix,
            "unix:@" => Abstract,
            _ => IPEndPoint.Parse(address),
        };
        await ServerUnderTest.AssertStartFailsAsync<InvalidOperationException>(
            options => options.Listen(endPoint, listen =>
            {
                listen.AllowAnyClient = true;
                Set(listen, setting);
            }),
            setting,
            endPoint.ToString()!);
        Assert.False(File.Exists(_socketPath));
    }

    [Fact]
    public async Task An_abstract_socket_needs_a_word_about_who_may_connect()
    {
        await ServerUnderTest.AssertStartFailsAsync<InvalidOperationException>(
            options => options.Listen(Abstract), "every user of the machine", "AllowAnyClient");
        await using (await ServerUnderTest.StartNewAsync(
            options => options.Listen(Abstract, static listen => listen.AllowAnyClient = true)))
        {
            await AssertServesAsync(Abstract);
        }

        await ServerUnderTest.AssertStartFailsAsync<InvalidOperationException>(
            options => options.ListenHandle(PassedSocket.Create(Abstract)), "AllowAnyClient");
    }

    [Fact]
    public async Task Defaults_of_endpoints_are_for_those_that_they_can_apply_to()
    {
        await using var server = await ServerUnderTest.StartNewAsync(options =>
        {
            options.ConfigureEndpointDefaults(static listen =>
            {
                listen.UnixMode = (UnixFileMode)0b110_000_000;
                listen.AllowedClients.Add(IPNetwork.Parse("127.0.0.1/32"));
                listen.AllowAnyClient = true;
            });
            options.ListenUnixSocket(_socketPath);
            options.Listen(Abstract);
            options.Listen(IPAddress.Loopback, 0);
        });

        await AssertServesAsync(Unix);
        Assert.Equal((UnixFileMode)0b110_000_000, File.GetUnixFileMode(_socketPath));
        var (unix, tcp) = (Assert.Single(server.Options, static listen => listen.SocketPath?[0] == '/'),
            Assert.Single(server.Options, static listen => listen.SocketPath is null));
        Assert.Empty(unix.AllowedClients);
        Assert.Null(tcp.UnixMode);
        Assert.Equal([IPNetwork.Parse("127.0.0.1/32")], tcp.AllowedClients);
    }

    [Theory]
    [InlineData(nameof(FastCgiListenOptions.UnixMode))]
    [InlineData(nameof(FastCgiListenOptions.UnixOwner))]
    [InlineData(nameof(FastCgiListenOptions.UnixGroup))]
    [InlineData(nameof(FastCgiListenOptions.AllowedClients))]
    public Task A_passed_socket_with_another_mode_or_owner_than_the_options_say_is_refused(string setting)
    {
        var handle = PassedSocket.Create(Unix);
        return ServerUnderTest.AssertStartFailsAsync<InvalidOperationException>(
            options => options.ListenHandle(handle, listen => Set(listen, setting)), setting, _socketPath);
    }

    [Fact]
    public async Task A_passed_socket_with_the_mode_that_the_options_say_is_served()
    {
        var handle = PassedSocket.Create(Unix);
        File.SetUnixFileMode(_socketPath, (UnixFileMode)0b110_110_000);
        await using var server = await ServerUnderTest.StartNewAsync(
            options => options.ListenHandle(handle, static listen => listen.UnixMode = (UnixFileMode)0b110_110_000));

        await AssertServesAsync(Unix);
    }

    /// <summary>It names the web servers of the application. A monitor is another machine.</summary>
    [Fact]
    public async Task The_list_of_the_environment_is_not_for_the_status_page()
    {
        await using var server = await ServerUnderTest.StartNewAsync(
            static options =>
            {
                options.Listen(IPAddress.Loopback, 0);
                options.Status.Path = "/status";
                options.Status.Endpoint = "127.0.0.1:0";
                options.Status.AllowedClients.Add(IPNetwork.Parse("127.0.0.1/32"));
            },
            LaunchWith("192.0.2.7"));

        var listening = await server.Logs.WaitForAsync(LogEvents.StatusListening);
        var address = (string)listening.State.Single(static pair => pair.Key == "Addresses").Value!;
        await using var peer = await ScriptedPeer.ConnectAsync(IPEndPoint.Parse(address["fastcgi://".Length..]));
        Assert.Equal(200, (await peer.RoundTripAsync(new RequestScript { Target = "/status" })).StatusCode);
        await AssertRefusesAsync(server);
    }

    [Theory]
    [InlineData("0.0.0.0:0")]
    [InlineData("unix:@")]
    public async Task A_status_page_that_others_can_reach_needs_the_list_that_it_has(string address)
    {
        await using var server = new ServerUnderTest(
            options =>
            {
                options.Listen(IPAddress.Loopback, 0);
                options.Status.Path = "/status";
                options.Status.Endpoint =
                    address.Replace("@", $"@fcgi-{Path.GetFileName(_directory)}", StringComparison.Ordinal);
            },
            LaunchWith("192.0.2.7"));

        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => server.StartAsync());

        Assert.Contains("FastCgi:Status:", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("AllowAnyClient", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("FCGI_WEB_SERVER_ADDRS", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/shop", false, "/shop/status")]
    [InlineData("/shop", false, "/status")]
    [InlineData("", true, "/shop/status", "/shop")]
    [InlineData("", true, "/status")]
    public async Task A_status_page_is_found_with_the_path_base_in_front_or_without(
        string pathBase, bool isFromScriptName, string target, string? scriptName = null)
    {
        await using var server = await ServerUnderTest.StartNewAsync(options =>
        {
            options.Listen(IPAddress.Loopback, 0);
            options.PathBase = pathBase;
            options.PathBaseFromScriptName = isFromScriptName;
            options.Status.Path = "/status";
            options.Status.Endpoint = $"unix:{_socketPath}";
        });

        await using var peer = await ScriptedPeer.ConnectAsync(Unix);
        var request = new RequestScript
        {
            Target = target,
            ExtraParams = scriptName is null ? [] : [("SCRIPT_NAME", scriptName)],
        };
        Assert.Equal(200, (await peer.RoundTripAsync(request)).StatusCode);
    }

    /// <summary>As at the endpoints of the application: no other param names a path.</summary>
    [Fact]
    public async Task A_status_page_is_found_by_its_target_alone()
    {
        await using var server = await ServerUnderTest.StartNewAsync(options =>
        {
            options.Listen(IPAddress.Loopback, 0);
            options.TargetSource = FastCgiTargetSource.RequestUri;
            options.Status.PingPath = "/ping";
            options.Status.Endpoint = $"unix:{_socketPath}";
        });

        await using var peer = await ScriptedPeer.ConnectAsync(Unix);
        var request = new RecordBuilder().Begin(1)
            .Params(1, [("REQUEST_METHOD", "GET"), ("REQUEST_URI", "/ping")]).EndParams(1).EndStdin(1);
        await peer.SendAsync(request);
        Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
    }

    [Theory]
    [InlineData("/status", null, false, true)]
    [InlineData("/status", null, true, false)]
    [InlineData("/status", "unix:", false, false)]
    [InlineData(null, null, false, false)]
    public async Task A_status_page_that_nobody_may_read_is_warned_of(
        string? path, string? endpoint, bool hasClients, bool isWarnedOf)
    {
        await using var server = await ServerUnderTest.StartNewAsync(options =>
        {
            options.Listen(IPAddress.Loopback, 0);
            options.Status.Path = path;
            options.Status.PingPath = "/ping";
            options.Status.Endpoint = endpoint is null ? null : $"unix:{_socketPath}";
            if (hasClients)
            {
                options.Status.AllowedClients.Add(IPNetwork.Parse("192.0.2.7/32"));
            }
        });

        Assert.Equal(isWarnedOf, server.Logs.Entries.Any(static entry => entry.EventId.Id == LogEvents.StatusForNobody));
    }

    /// <summary>Half of localhost may be missing, no other address: not even beside one of the same port.</summary>
    [Fact]
    public Task An_address_that_this_machine_does_not_have_is_an_error_beside_one_that_it_has()
    {
        var port = FreePort.Take();
        return ServerUnderTest.AssertStartFailsAsync<IOException>(
            options =>
            {
                options.Listen(IPAddress.Loopback, port);
                options.Listen(IPAddress.Parse("192.0.2.1"), port, static listen => listen.AllowAnyClient = true);
            },
            "192.0.2.1");
    }

    [Fact]
    public Task A_mode_for_a_status_page_by_TCP_is_refused() =>
        ServerUnderTest.AssertStartFailsAsync<InvalidOperationException>(
            static options =>
            {
                options.Listen(IPAddress.Loopback, 0);
                options.Status.Path = "/status";
                options.Status.Endpoint = "127.0.0.1:0";
                options.Status.UnixMode = (UnixFileMode)0b110_000_000;
            },
            "UnixMode");

    [Fact]
    public void Connections_go_on_under_new_terms_that_change_nothing_for_them()
    {
        AssertAllows(true, static _ => { });
        AssertAllows(true, static listen => listen.UnixMode = (UnixFileMode)0b110_000_000);
        AssertAllows(false, static listen => listen.Protocol = FastCgiEndpointProtocol.Scgi);
        AssertAllows(false, static listen => listen.AllowUpgrade = !listen.AllowUpgrade);
        AssertAllows(false, static listen => listen.AllowedClients.Add(IPNetwork.Parse("10.0.0.5/32")));

        void AssertAllows(bool expected, Action<FastCgiListenOptions> change) =>
            Assert.Equal(expected, Terms(change).AllowsConnectionsOf(Terms()));
    }

    [Fact]
    public void The_file_of_a_socket_is_as_before_when_mode_owner_and_group_are()
    {
        Assert.Equal(Terms().Options.Access, Terms().Options.Access);
        foreach (var setting in (string[])[
            nameof(FastCgiListenOptions.UnixMode), nameof(FastCgiListenOptions.UnixOwner), nameof(FastCgiListenOptions.UnixGroup)])
        {
            Assert.NotEqual(Terms().Options.Access, Terms(listen => Set(listen, setting)).Options.Access);
        }
    }

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    private EndpointTerms Terms(Action<FastCgiListenOptions>? change = null)
    {
        var options = new FastCgiServerOptions();
        options.ListenUnixSocket(_socketPath, change ?? (static _ => { }));
        return new EndpointTerms(
            options.GetEndpoints()[0],
            Unix,
            ServerUnderTest.Launch(),
            TimeProvider.System,
            new ServerNotices(NullLogger.Instance));
    }

    private static LaunchContext LaunchWith(string? webServers) => ServerUnderTest.Launch(
        webServers is null ? null : new Dictionary<string, string> { ["FCGI_WEB_SERVER_ADDRS"] = webServers });

    private static void Set(FastCgiListenOptions listen, string setting)
    {
        Action set = setting switch
        {
            nameof(FastCgiListenOptions.UnixMode) => () => listen.UnixMode = (UnixFileMode)0b110_000_000,
            nameof(FastCgiListenOptions.UnixOwner) => () => listen.UnixOwner = "65534",
            nameof(FastCgiListenOptions.UnixGroup) => () => listen.UnixGroup = "65534",
            _ => () => listen.AllowedClients.Add(IPNetwork.Parse("10.0.0.5/32")),
        };
        set();
    }

    private static async Task AssertServesAsync(EndPoint endPoint)
    {
        await using var peer = await ScriptedPeer.ConnectAsync(endPoint);
        Assert.Equal("hello", (await peer.RoundTripAsync(new RequestScript())).BodyText);
    }

    private static async Task<ScriptedPeer> ConnectAsync(ServerUnderTest server)
    {
        var bound = IPEndPoint.Parse(Assert.Single(server.Addresses.Addresses)["fastcgi://".Length..]);
        return await ScriptedPeer.ConnectAsync(new IPEndPoint(IPAddress.Loopback, bound.Port));
    }

    private static async Task AssertRefusesAsync(ServerUnderTest server)
    {
        await using var peer = await ConnectAsync(server);
        Assert.Empty(await peer.ExpectClosedAsync());
    }
}
