namespace FastCgi.WebServerTests.Instances;

/// <summary>
/// Processes with few descriptors (RLIMIT_NOFILE), and more connections than they allow. .NET ends a process that
/// cannot start a thread for want of descriptors, and never finds an assembly again that it could not open once.
/// </summary>
public sealed class DescriptorLimitTests : InstanceTest
{
    private readonly Dictionary<string, string> _environment = [];
    private InheritedListener? _listener;

    private protected override string SocketPath => _listener?.SocketPath ?? base.SocketPath;

    public static MatrixTheoryData<int, string> Limits => new([220, 256, 300, 400], ["Epoll", "Sockets"]);

    [Theory, MemberData(nameof(Limits))]
    public async Task Connections_leave_descriptors_for_files_and_threads_and_none_is_lost(int limit, string transport)
    {
        await StartAsync($"-n {limit}", transport);
        await ConnectTooOftenAsync(limit);
        await App.Log.WaitForAsync("LimitNOFILE=");

        foreach (var target in (string[])["/", "/file", "/thread", "/missing", "/"])
        {
            var expected = target == "/missing" ? 404 : 200;
            Assert.Equal(expected, (await Peers[0].RoundTripAsync(new RequestScript { Target = target })).StatusCode);
        }

        // As one after the other ends, those that wait are served.
        foreach (var peer in Peers)
        {
            var request = new RequestScript { Target = "/file", KeepConnection = false };
            Assert.Equal(200, (await peer.RoundTripAsync(request)).StatusCode);
        }

        await AssertServesAsync();
        Assert.Single(App.Log.Lines, static line => line.Contains("LimitNOFILE=", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(256, "Epoll")]
    [InlineData(400, "Sockets")]
    public async Task A_stop_at_the_limit_answers_the_requests_that_wait(int limit, string transport)
    {
        await StartAsync($"-n {limit}", transport);
        await ConnectTooOftenAsync(limit);
        foreach (var peer in Peers)
        {
            await peer.SendRequestAsync();
        }

        Assert.Equal(200, (await Peers[0].ExpectResponseAsync()).StatusCode);
        var stop = App.StopAsync();

        foreach (var peer in Peers.Skip(1))
        {
            Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
        }

        Assert.Equal(0, await stop);
    }

    [Fact]
    public async Task A_socket_that_was_passed_has_the_same_limit()
    {
        _listener = new InheritedListener();
        await StartAsync("-n 300", "Epoll");
        await ConnectTooOftenAsync(300);

        await App.Log.WaitForAsync("LimitNOFILE=");

        LeaveAll();
        await AssertServesAsync();
    }

    /// <summary>Every user of the machine can connect to a status endpoint of TCP.</summary>
    [Fact]
    public async Task The_status_endpoint_leaves_descriptors_for_files_and_threads_too()
    {
        var status = Files.File("status.sock");
        await StartAsync(
            "ulimit -n 300",
            _environment,
            "--FastCgi:Status:PingPath", "/ping",
            "--FastCgi:Status:Endpoint", $"unix:{status}");
        await using var peer = await ConnectAsync();
        Assert.Equal(200, (await peer.RoundTripAsync(new RequestScript())).StatusCode);
        await ConnectAsync(300, status);
        await App.Log.WaitForAsync("LimitNOFILE=");

        foreach (var target in (string[])["/file", "/thread"])
        {
            Assert.Equal(200, (await peer.RoundTripAsync(new RequestScript { Target = target })).StatusCode);
        }
    }

    /// <summary>The probe of the watchdog waits in the backlog as others do: the requests that end show that it lives.</summary>
    [Fact]
    public async Task The_watchdog_is_fed_at_the_limit_while_requests_end()
    {
        using var manager = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        _environment["NOTIFY_SOCKET"] = Files.File("notify");
        _environment["WATCHDOG_USEC"] = $"{Deadline.Of(TimeSpan.FromSeconds(1.8)).TotalMicroseconds:0}";
        manager.Bind(new UnixDomainSocketEndPoint(Files.File("notify")));
        await StartAsync("-n 300", "Epoll");
        await ConnectTooOftenAsync(300);
        await App.Log.WaitForAsync("LimitNOFILE=");
        var buffer = new byte[256];
        while (manager.Available > 0)
        {
            await manager.ReceiveAsync(buffer);
        }

        for (var fed = 0; fed < 5;)
        {
            var told = manager.ReceiveAsync(buffer);
            while (!told.IsCompleted)
            {
                Assert.Equal(200, (await Peers[0].RoundTripAsync(new RequestScript())).StatusCode);
            }

            fed += buffer.AsSpan(0, await told).SequenceEqual("WATCHDOG=1"u8) ? 1 : 0;
            Assert.DoesNotContain("No request gets through", App.Log.ToString(), StringComparison.Ordinal);
            Assert.DoesNotContain("SocketUser=", App.Log.ToString(), StringComparison.Ordinal);
        }
    }

    /// <summary>1,024 and 524,288: .NET raises the soft limit to the hard one.</summary>
    [Fact]
    public async Task With_the_default_of_systemd_the_hard_limit_counts()
    {
        await StartAsync("-Sn 1024", "Epoll");

        await ConnectAsync(1_100);
        foreach (var peer in Peers)
        {
            Assert.Equal(200, (await peer.RoundTripAsync(new RequestScript())).StatusCode);
        }

        Assert.DoesNotContain("LimitNOFILE=", App.Log.ToString(), StringComparison.Ordinal);
    }

    /// <summary>.NET itself and ASP.NET Core do not start: nothing of it hangs.</summary>
    [Fact]
    public async Task With_64_descriptors_the_process_ends_at_its_start()
    {
        Launch("ulimit -n 64", environment: null, []);

        Assert.NotEqual(0, await App.WaitAsync("the end of a process that cannot load its assemblies"));
    }

    [Fact]
    public async Task The_first_request_loads_no_assembly_that_the_server_needs()
    {
        await StartAsync("-n 4096", "Epoll");
        var before = OpenAssemblies();
        await ConnectAsync(1);
        var loaded = (await Peers[0].RoundTripAsync(new RequestScript { Target = "/assemblies" })).BodyText.Split('\n');
        var ofServer = typeof(FastCgi.AspNetCore.FastCgiServerOptions).Assembly.GetReferencedAssemblies()
            .Select(static reference => reference.Name!);

        Assert.NotEmpty(before);
        Assert.Equal([], ofServer.Intersect(loaded).Except(before).Order());
    }

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _listener?.Dispose();
    }

    private protected override void Launch(
        string limits, IReadOnlyDictionary<string, string>? environment, IEnumerable<string> settings)
    {
        if (_listener is null)
        {
            base.Launch(limits, environment, settings);
        }
        else
        {
            LaunchBy(_listener.Start(ListenerHandover.Systemd, "bash", [.. Arguments(limits), .. settings]));
        }
    }

    private Task StartAsync(string limit, string transport) =>
        StartAsync($"ulimit {limit}", _environment, "--FastCgi:Transport", transport);

    /// <summary>
    /// The application has some 190 descriptors when it starts. The backlog of the server takes the connections for
    /// which none is left.
    /// </summary>
    private Task ConnectTooOftenAsync(int limit) => ConnectAsync(limit - 160);

    private async Task AssertServesAsync()
    {
        await using var peer = await ConnectAsync();
        Assert.Equal(200, (await peer.RoundTripAsync(new RequestScript())).StatusCode);
        Assert.False(App.Ended.IsCompleted);
    }

    /// <summary>Each loaded assembly is a file that stays open.</summary>
    private IEnumerable<string?> OpenAssemblies() =>
        [.. Directory.GetFileSystemEntries($"/proc/{App.Id}/fd")
            .Select(static file => Path.GetFileNameWithoutExtension(new FileInfo(file).LinkTarget))];
}
