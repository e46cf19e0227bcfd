namespace FastCgi.AspNetCore.Tests.Operations.Systemd;

/// <summary>A server beside a service manager, as systemd is: what it is told, and when it is not.</summary>
[SupportedOSPlatform("linux")]
[Collection(FakeSystemd.Collection)]
public sealed class ServiceLinkTests : IAsyncDisposable
{
    private readonly FakeSystemd _manager = new();

    public ValueTask DisposeAsync() => _manager.DisposeAsync();

    [Fact]
    public async Task Readiness_status_and_stop_are_told()
    {
        await using var server = await StartAsync();
        Assert.Equal("READY=1\nSTATUS=0 requests running, 0 served", await _manager.NextAsync());
        await using (var peer = await server.ConnectAsync())
        {
            await peer.RoundTripAsync(new RequestScript());
        }

        // The client has its answer a moment before the request is counted as ended.
        var told = "";
        await Eventually.HoldsAsync(
            () => (told = StatusAfterTenSeconds()) == "STATUS=0 requests running, 1 served", () => $"told last: {told}");
        _manager.Lifetime.StopApplication();

        Assert.Equal("STOPPING=1\nSTATUS=Stopping", await _manager.NextAsync());
    }

    [Fact]
    public async Task An_abstract_socket_is_told_too()
    {
        using var manager = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        var name = $"fcgi-{Guid.NewGuid():N}";
        manager.Bind(new UnixDomainSocketEndPoint($"\0{name}"));
        _manager.Variables["NOTIFY_SOCKET"] = $"@{name}";
        await using var server = await StartAsync();

        var buffer = new byte[256];
        var length = await manager.ReceiveAsync(buffer).Within("a notification");
        Assert.StartsWith("READY=1", Encoding.UTF8.GetString(buffer, 0, length), StringComparison.Ordinal);
    }

    /// <summary>The heartbeat tells it of the figures, and the stop of the stop.</summary>
    [Fact]
    public async Task A_manager_that_reads_nothing_holds_nothing_up()
    {
        using var socket = new NotifySocket(_manager.File("notify"));

        await Task.Run(() =>
        {
            while (socket.TrySend("STATUS=busy"))
            {
            }
        }).Within("the end of the queue");

        Assert.Equal("STATUS=busy", await _manager.NextAsync());
        Assert.True(socket.TrySend("STOPPING=1"));
    }

    /// <summary>systemd ends a service of which it hears no READY.</summary>
    [Fact]
    public async Task Readiness_that_was_lost_is_told_again()
    {
        _manager.Overflow();
        await using var server = await StartAsync();

        // The heartbeat of an idle server sleeps by then.
        _manager.Time.Advance(TimeSpan.FromSeconds(20));
        await _manager.ForgetAsync();
        _manager.Time.Advance(TimeSpan.FromSeconds(2));

        await _manager.ReadyAsync();
        _manager.Time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(0, _manager.Socket.Available);
    }

    [Fact]
    public async Task A_status_that_was_lost_is_told_again()
    {
        await using var server = await StartAsync(handler: _manager.Block);
        await _manager.ReadyAsync();
        await using var peer = await server.ConnectAsync();
        await peer.SendRequestAsync(new RequestScript());
        Assert.Empty(await peer.SynchronizeAsync());
        _manager.Overflow();

        _manager.Time.Advance(TimeSpan.FromSeconds(10));
        await _manager.ForgetAsync();

        var told = StatusAfterTenSeconds();
        _manager.GoOn();
        await peer.ExpectResponseAsync();
        Assert.Equal("STATUS=1 requests running, 1 served", told);
    }

    [Theory]
    [InlineData("")]
    [InlineData("vsock:2:1234")]
    [InlineData("/nowhere/notify")]
    public async Task A_manager_that_cannot_be_told_stops_no_start(string address)
    {
        _manager.Variables["NOTIFY_SOCKET"] = address;
        await using var server = await StartAsync();

        await using var peer = await server.ConnectAsync();
        Assert.Equal(200, (await peer.RoundTripAsync(new RequestScript())).StatusCode);
    }

    [Fact]
    public async Task The_watchdog_is_fed_while_one_handler_never_returns()
    {
        _manager.AskForWatchdog();
        await using var server = await StartAsync(handler: _manager.Block);
        await using var peer = await server.ConnectAsync();
        await peer.SendRequestAsync(new RequestScript());
        Assert.Empty(await peer.SynchronizeAsync());
        await _manager.ForgetAsync();

        await _manager.FedAsync(times: 5);

        _manager.GoOn();
        await peer.ExpectResponseAsync();
    }

    [Fact]
    public async Task The_watchdog_is_not_fed_when_all_places_are_held_and_none_becomes_free()
    {
        _manager.AskForWatchdog();
        await using var server = NewServer(static options => options.Limits.MaxConcurrentRequests = 1);
        server.Logs.ExpectError(116);
        await server.StartAsync(_manager.Block);
        await _manager.FedAsync(times: 1);
        await using var peer = await server.ConnectAsync();
        await peer.SendRequestAsync(new RequestScript());
        Assert.Empty(await peer.SynchronizeAsync());

        await server.Logs.WaitForAsync(116);
        await _manager.ForgetAsync();

        // It is fed again when the handler returns: nothing comes before.
        var next = _manager.NextAsync();
        Assert.False(next.IsCompleted);
        _manager.GoOn();
        Assert.Equal("WATCHDOG=1", await next);
        await peer.ExpectResponseAsync();
    }

    /// <summary>Otherwise each feed would be reported as a client that was turned away.</summary>
    [Fact]
    public async Task The_watchdog_may_connect_where_only_others_may()
    {
        _manager.AskForWatchdog();
        await using var server = _manager.NewServer(static options => options.Listen(
            System.Net.IPAddress.Loopback, 0, static listen => listen.AllowedClients.Add(IPNetwork.Parse("10.0.0.5/32"))));
        await server.StartAsync();
        await _manager.FedAsync(times: 3);

        Assert.DoesNotContain(server.Logs.Entries, static entry => entry.EventId.Id == LogEvents.ClientRefused);
        await using var peer = await server.ConnectAsync();
        Assert.Empty(await peer.ExpectClosedAsync());
        await server.Logs.WaitForAsync(LogEvents.ClientRefused);
    }

    [Fact]
    public async Task A_watchdog_without_notification_is_warned_of()
    {
        _manager.Variables.Clear();
        _manager.AskForWatchdog();
        await using var server = await StartAsync();

        Assert.Contains(server.Logs.Entries, static entry => entry.Level == LogLevel.Warning
            && entry.Message.Contains("Set Type=notify", StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_exit_without_a_socket_that_was_passed_is_warned_of_and_does_not_happen()
    {
        _manager.Variables.Clear();
        await using var server = await StartAsync(static options => options.ExitAfterRequests = 1);
        await using var peer = await server.ConnectAsync();
        await peer.RoundTripAsync(new RequestScript());
        await peer.RoundTripAsync(new RequestScript());
        _manager.Time.Advance(TimeSpan.FromSeconds(2));
        _manager.Time.Advance(TimeSpan.FromSeconds(2));

        Assert.False(_manager.Lifetime.ApplicationStopping.IsCancellationRequested);
        var address = Assert.Single(server.Addresses.Addresses);
        var warning = Assert.Single(server.Logs.Entries, static entry => entry.EventId.Id == LogEvents.ExitNotPossible);
        Assert.Contains($"{address} ends with the process", warning.Message, StringComparison.Ordinal);
        Assert.Contains("Restart=always", warning.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_exit_beside_Kestrel_is_warned_of_and_does_not_happen()
    {
        await using var server = NewExitingServer();
        server.Server.KestrelListens = true;
        await server.StartAsync();

        LiveLongEnoughForAnExit();

        Assert.DoesNotContain(server.Logs.Entries, static entry => entry.EventId.Id == LogEvents.Exit);
        var warning = Assert.Single(server.Logs.Entries, static entry => entry.EventId.Id == LogEvents.ExitNotPossible);
        Assert.Contains("Kestrel", warning.Message, StringComparison.Ordinal);
    }

    /// <summary>The host of a test stops by the test, and one of plain CGI after its request.</summary>
    [Fact]
    public async Task A_server_in_memory_does_not_exit_and_says_nothing_of_it()
    {
        await using var server = NewExitingServer();
        server.Server.IsExclusive = true;
        await server.StartAsync();

        LiveLongEnoughForAnExit();

        Assert.DoesNotContain(
            server.Logs.Entries, static entry => entry.EventId.Id is LogEvents.Exit or LogEvents.ExitNotPossible);
    }

    /// <summary>The status is asked for again when the application is.</summary>
    [Fact]
    public async Task An_own_socket_of_the_status_page_does_not_keep_the_process()
    {
        await using var server = NewExitingServer(options =>
        {
            options.Status.Path = "/status";
            options.Status.Endpoint = $"unix:{_manager.File("status")}";
        });
        await server.StartAsync();

        LiveLongEnoughForAnExit();

        Assert.Single(server.Logs.Entries, static entry => entry.EventId.Id == LogEvents.Exit);
    }

    /// <summary>The watchdog connects to the endpoint three times in its time.</summary>
    [Fact]
    public async Task A_watchdog_keeps_no_idle_process_alive()
    {
        _manager.AskForWatchdog();
        await using var server = NewExitingServer();
        await server.StartAsync();
        await _manager.ReadyAsync();

        for (var probe = 0; probe < 100 && !_manager.Lifetime.ApplicationStopping.IsCancellationRequested; probe++)
        {
            await _manager.NextAsync();
            _manager.Time.Advance(TimeSpan.FromSeconds(1));
        }

        // The host takes a while to stop, and is asked once.
        _manager.Time.Advance(TimeSpan.FromSeconds(1));
        Assert.Single(server.Logs.Entries, static entry => entry.EventId.Id == LogEvents.Exit);
    }

    [Fact]
    public async Task A_reload_takes_new_limits_and_loses_no_request()
    {
        _manager.Settings["FastCgi:Limits:MaxRequestBodySize"] = "10";
        await using var server = await StartAsync(handler: _manager.Block);
        await _manager.ReadyAsync();
        await using var peer = await server.ConnectAsync();
        await peer.SendRequestAsync(new RequestScript());
        Assert.Empty(await peer.SynchronizeAsync());

        _manager.Settings["FastCgi:Limits:MaxConcurrentRequests"] = "1";
        await _manager.ReloadAsync();

        await using var second = await server.ConnectAsync();
        await using var third = await server.ConnectAsync();
        await second.SendRequestAsync(new RequestScript());
        Assert.Empty(await second.SynchronizeAsync());
        Assert.Equal(503, (await third.RoundTripAsync(new RequestScript())).StatusCode);
        _manager.GoOn();
        Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
        Assert.Equal(200, (await second.ExpectResponseAsync()).StatusCode);
    }

    [Theory]
    [InlineData("MaxRequestLineSize", "5", 414)]
    [InlineData("MaxRequestHeaderCount", "1", 431)]
    [InlineData("MaxRequestHeadersTotalSize", "5", 431)]
    public async Task A_reload_takes_new_limits_of_a_head(string limit, string value, int status)
    {
        await using var server = await StartAsync();
        await _manager.ReadyAsync();
        await using var peer = await server.ConnectAsync();
        var request = new RequestScript { Target = "/longer", Headers = [("Accept", "a"), ("Accept-Language", "b")] };
        Assert.Equal(200, (await peer.RoundTripAsync(request)).StatusCode);

        _manager.Settings[$"FastCgi:Limits:{limit}"] = value;
        await _manager.ReloadAsync();

        Assert.Equal(status, (await peer.RoundTripAsync(request)).StatusCode);
    }

    [Fact]
    public async Task A_reload_that_fails_leaves_everything_as_it_was()
    {
        _manager.Settings["FastCgi:Limits:MaxConcurrentRequests"] = "5";
        await using var server = NewServer();
        server.Logs.ExpectError(120);
        await server.StartAsync();
        await _manager.ReadyAsync();

        _manager.Settings["FastCgi:Limits:MaxConcurrentRequests"] = "none";
        await _manager.ReloadAsync();

        await using var peer = await server.ConnectAsync();
        Assert.Equal(200, (await peer.RoundTripAsync(new RequestScript())).StatusCode);
    }

    /// <summary>For systemd a service that says it is ready has ended its stop.</summary>
    [Fact]
    public async Task A_reload_that_ends_in_a_stop_does_not_tell_that_the_server_is_ready()
    {
        var goOn = new Latch();
        var read = () => { };
        await using var server = NewServer(_ => read());
        await server.StartAsync();
        await _manager.ReadyAsync();
        read = () => goOn.Wait();
        await _manager.BeginReloadAsync();

        _manager.Lifetime.StopApplication();
        Assert.Equal("STOPPING=1\nSTATUS=Stopping", await _manager.NextAsync());
        goOn.Set();
        await server.Logs.WaitForAsync(LogEvents.Reloaded);
        await server.Server.StopAsync(new CancellationToken(canceled: true)).Within("the stop");

        Assert.Equal(0, _manager.Socket.Available);
    }

    private async Task<ServerUnderTest> StartAsync(
        Action<FastCgiServerOptions>? configure = null, RequestDelegate? handler = null)
    {
        var server = NewServer(configure);
        await server.StartAsync(handler);
        return server;
    }

    private ServerUnderTest NewServer(Action<FastCgiServerOptions>? configure = null) => _manager.NewServer(options =>
    {
        options.Listen(System.Net.IPAddress.Loopback, 0);
        configure?.Invoke(options);
    });

    /// <summary>It has a passed socket.</summary>
    private ServerUnderTest NewExitingServer(Action<FastCgiServerOptions>? configure = null) =>
        _manager.NewServer(options =>
        {
            options.ListenHandle(_manager.ListenAs("inherited"));
            options.ExitWhenIdleFor = TimeSpan.FromSeconds(5);
            configure?.Invoke(options);
        });

    private void LiveLongEnoughForAnExit()
    {
        for (var second = 0; second < 20; second++)
        {
            _manager.Time.Advance(TimeSpan.FromSeconds(1));
        }
    }

    /// <summary>Empty where it has not changed.</summary>
    private string StatusAfterTenSeconds()
    {
        _manager.Time.Advance(TimeSpan.FromSeconds(10));
        var buffer = new byte[256];
        return _manager.Socket.Available > 0 ? Encoding.UTF8.GetString(buffer, 0, _manager.Socket.Receive(buffer)) : "";
    }
}
