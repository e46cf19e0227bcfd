using Microsoft.AspNetCore.Connections;

namespace FastCgi.AspNetCore.Tests.Operations.Systemd;

/// <summary>A reload changes what a server listens on, or nothing at all.</summary>
[SupportedOSPlatform("linux")]
[Collection(FakeSystemd.Collection)]
public sealed class EndpointReloadTests : IAsyncDisposable
{
    private const UnixFileMode Private = (UnixFileMode)0b110_000_000;
    private const UnixFileMode Shared = (UnixFileMode)0b110_110_000;

    private readonly FakeSystemd _manager = new();

    /// <summary>A server begins with one endpoint, unless the test says otherwise.</summary>
    public EndpointReloadTests() => Set("A", Address("a"));

    public ValueTask DisposeAsync() => _manager.DisposeAsync();

    [Fact]
    public async Task Added_endpoints_listen_and_removed_ones_end_after_their_requests()
    {
        await using var server = await StartAsync(Block);
        await using var busy = await ConnectAsync("a");
        await using var idle = await ConnectAsync("a");
        await busy.SendRequestAsync(new RequestScript { Target = "/block" });
        await busy.SynchronizeAsync();
        Assert.Equal(200, (await idle.RoundTripAsync(new RequestScript())).StatusCode);

        Clear("A");
        Set("B", Address("b"));
        await _manager.ReloadAsync();

        await idle.ExpectEndOfStreamAsync();
        Assert.False(File.Exists(_manager.File("a")));
        Assert.False(File.Exists(_manager.File("a.lock")));
        Assert.Equal([Address("b")], server.Addresses.Addresses);
        Assert.Equal(200, await StatusAsync("b"));
        _manager.GoOn();
        Assert.Equal(200, (await busy.ExpectResponseAsync()).StatusCode);
        await busy.ExpectEndOfStreamAsync();
        Assert.Contains(server.Logs.Entries, entry => entry.EventId.Id == 122
            && entry.Message == $"The server listens on {Address("b")}. Added: {Address("b")}. Removed: {Address("a")}.");
    }

    [Fact]
    public async Task A_connection_from_before_two_reloads_ends_with_its_endpoint()
    {
        await using var server = await StartAsync();
        await using var idle = await ConnectAsync("a");
        Assert.Equal(200, (await idle.RoundTripAsync(new RequestScript())).StatusCode);
        Set("B", Address("b"));
        await _manager.ReloadAsync();
        Assert.Equal(200, (await idle.RoundTripAsync(new RequestScript())).StatusCode);

        Clear("A");
        await _manager.ReloadAsync();

        await idle.ExpectEndOfStreamAsync();
    }

    [Fact]
    public async Task An_endpoint_can_be_removed_and_added_again()
    {
        Set("B", Address("b"));
        await using var server = await StartAsync();
        for (var i = 0; i < 3; i++)
        {
            Clear("B");
            await _manager.ReloadAsync();
            Assert.False(File.Exists(_manager.File("b")));

            Set("B", Address("b"));
            await _manager.ReloadAsync();
            Assert.Equal(200, await StatusAsync("b"));
        }

        Assert.Equal(200, await StatusAsync("a"));
    }

    /// <summary>A host watches its files. A read of its own may begin before a change, and end after the reload's read.</summary>
    [Theory, InlineData(true), InlineData(false)]
    public async Task What_a_host_read_before_the_change_does_not_apply(bool isWithinReload)
    {
        var before = new Dictionary<string, string?>(_manager.Settings);
        var endRead = () => { };
        await using var server = await StartAsync(code: _ => Interlocked.Exchange(ref endRead, () => { })());

        Clear("A");
        Set("B", Address("b"));
        if (isWithinReload)
        {
            _manager.EndReadWithinReload(before);
        }
        else
        {
            endRead = () => _manager.EndReadOf(before);
        }

        await _manager.ReloadAsync();

        Assert.Equal([Address("b")], server.Addresses.Addresses);
        Assert.Equal(200, await StatusAsync("b"));
    }

    /// <summary>Its values are other ones at each read, so no two reads agree.</summary>
    [Fact]
    public async Task A_source_that_changes_at_each_read_does_not_keep_a_reload_from_its_end()
    {
        var reads = 0;
        await using var server = await StartAsync(code: _ => _manager.Settings["Reads"] = $"{++reads}");

        Set("B", Address("b"));
        await _manager.ReloadAsync();

        Assert.Equal([Address("a"), Address("b")], server.Addresses.Addresses);
    }

    /// <summary>The code of an application, or a source of the configuration that waits for another machine.</summary>
    [Fact]
    public async Task A_reload_that_does_not_return_holds_no_stop_up()
    {
        var goOn = new Latch();
        var read = () => { };
        await using var server = await StartAsync(code: _ => read());
        read = () => goOn.Wait();
        await _manager.BeginReloadAsync();

        try
        {
            await server.Server.StopAsync(new CancellationToken(canceled: true)).Within("the stop");
            Assert.False(File.Exists(_manager.File("a")));
        }
        finally
        {
            goOn.Set();
        }
    }

    [Fact]
    public async Task A_bind_that_does_not_return_holds_no_stop_up()
    {
        var transport = new EndlessBind();
        _manager.Transport = transport;
        var isReload = false;
        await using var server = await StartAsync(code: options =>
        {
            if (isReload)
            {
                options.Listen(transport.EndPoint);
            }
        });
        isReload = true;
        await _manager.BeginReloadAsync();
        await transport.Begun.Task.Within("the bind");

        await server.Server.StopAsync(new CancellationToken(canceled: true)).Within("the stop");

        Assert.False(File.Exists(_manager.File("a")));
        transport.End();
        await transport.Disposed.Task.Within("the end of what was bound too late");
    }

    [Fact]
    public async Task A_start_that_is_given_up_waits_for_no_bind()
    {
        var transport = new EndlessBind();
        _manager.Transport = transport;
        await using var server = _manager.NewServer(options => options.Listen(transport.EndPoint));
        using var giveUp = new CancellationTokenSource();
        var start = Task.Run(() => server.StartAsync(cancellationToken: giveUp.Token));
        await transport.Begun.Task.Within("the bind");

        await giveUp.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => start.Within("the end of the start"));
        Assert.False(File.Exists(_manager.File("a")));
    }

    [Fact]
    public async Task A_changed_mode_applies_and_without_one_the_default_does()
    {
        await using var server = await StartAsync();
        Assert.Equal(Shared, Mode("a"));
        await using var peer = await ConnectAsync("a");
        await peer.RoundTripAsync(new RequestScript());

        foreach (var (text, mode) in new[] { ("0600", Private), ("0660", Shared), ("0600", Private), (null, Shared) })
        {
            _manager.Settings["FastCgi:Endpoints:A:UnixMode"] = text;
            await _manager.ReloadAsync();
            Assert.Equal(mode, Mode("a"));
        }

        Assert.Equal(200, (await peer.RoundTripAsync(new RequestScript())).StatusCode);
    }

    [Theory]
    [InlineData("Url", "fastcgi://unix:/nowhere/b.sock", "the directory /nowhere does not exist")]
    [InlineData("UnixGroup", "no such group", "There is no group \"no such group\"")]
    [InlineData("Url", "fastcgi://0.0.0.0:1", "can be reached from other machines")]
    [InlineData("Url", "http://127.0.0.1:1", "http")]
    [InlineData("AllowedClients:0", "10.0.0.", "'10.0.0.' is none")]
    [InlineData("AllowedClients:0", "10.0.0.5", "AllowedClients")]
    [InlineData("Url", "fastcgi://127.0.0.1:1", "UnixMode")]
    public async Task One_endpoint_that_fails_changes_nothing(string key, string value, string reason)
    {
        Set("A", Address("a"), "0600");
        Set("B", Address("b"), "0600");
        await using var server = await StartAsync();
        server.Logs.ExpectError(120);
        await using var peer = await ConnectAsync("b");
        await peer.RoundTripAsync(new RequestScript());

        _manager.Settings["FastCgi:Limits:MaxRequestBodySize"] = "1";
        Set("A", Address("a"), "0660");
        Set("C", Address("c"));
        _manager.Settings[$"FastCgi:Endpoints:B:{key}"] = value;
        await _manager.ReloadAsync();

        var error = Assert.Single(server.Logs.Entries, static entry => entry.Level == LogLevel.Error);
        Assert.Contains(reason, error.Exception!.Message, StringComparison.Ordinal);
        Assert.Equal(Private, Mode("a"));
        Assert.False(File.Exists(_manager.File("c")));
        Assert.Equal([Address("a"), Address("b")], server.Addresses.Addresses);
        Assert.Equal(200, (await peer.RoundTripAsync(new RequestScript { Method = "POST", Body = new byte[9] })).StatusCode);
        Assert.Equal(200, await StatusAsync("a"));
    }

    [Fact]
    public async Task An_inherited_socket_stays_and_a_warning_says_so()
    {
        Set("A", $"fastcgi://fd:{_manager.ListenAs("inherited")}");
        await using var server = await StartAsync();

        Clear("A");
        Set("B", Address("b"));
        await _manager.ReloadAsync();

        Assert.Equal(200, await StatusAsync("inherited"));
        Assert.Equal(200, await StatusAsync("b"));
        Assert.Equal([Address("inherited"), Address("b")], server.Addresses.Addresses);
        Assert.Contains(server.Logs.Entries, entry => entry.EventId.Id == 121
            && entry.Message.Contains(Address("inherited"), StringComparison.Ordinal));

        // Named by where it listens, it is the same one.
        Set("A", Address("inherited"));
        await _manager.ReloadAsync();
        Assert.Equal(200, await StatusAsync("inherited"));
        Assert.Single(server.Logs.Entries, static entry => entry.EventId.Id == 121);
    }

    /// <summary>Two owners of one descriptor would each close it, the second one under whoever has its number then.</summary>
    [Fact]
    public async Task An_inherited_socket_has_one_endpoint()
    {
        var descriptor = _manager.ListenAs("inherited");
        Set("A", $"fastcgi://fd:{descriptor}");
        await using var server = await StartAsync();
        server.Logs.ExpectError(120);

        Set("B", $"fastcgi://fd:{descriptor}");
        await _manager.ReloadAsync();

        var error = Assert.Single(server.Logs.Entries, static entry => entry.Level == LogLevel.Error);
        Assert.Contains("another endpoint has its inherited socket", error.Exception!.Message, StringComparison.Ordinal);
        Assert.Equal(200, await StatusAsync("inherited"));
    }

    /// <summary>The administrator corrects what was wrong beside it, and reloads again.</summary>
    [Fact]
    public async Task An_inherited_socket_survives_a_reload_that_fails()
    {
        var descriptor = _manager.ListenAs("inherited");
        await using var server = await StartAsync();
        server.Logs.ExpectError(120);
        Set("B", $"fastcgi://fd:{descriptor}");
        Set("C", "unix:/nowhere/c.sock");
        await _manager.ReloadAsync();

        Clear("C");
        await _manager.ReloadAsync();

        Assert.Equal(200, await StatusAsync("inherited"));
    }

    [Fact]
    public async Task Clients_that_are_not_allowed_any_more_lose_their_connections_and_get_no_other()
    {
        Set("A", "fastcgi://127.0.0.1:0");
        await using var server = await StartAsync();
        await using var peer = await server.ConnectAsync();
        await peer.RoundTripAsync(new RequestScript());

        _manager.Settings["FastCgi:Endpoints:A:AllowedClients:0"] = "127.0.0.2";
        await _manager.ReloadAsync();

        await peer.ExpectEndOfStreamAsync();
        await using var refused = await server.ConnectAsync();
        await refused.ExpectClosedAsync();
        _manager.Settings.Remove("FastCgi:Endpoints:A:AllowedClients:0");
        await _manager.ReloadAsync();
        await using var admitted = await server.ConnectAsync();
        Assert.Equal(200, (await admitted.RoundTripAsync(new RequestScript())).StatusCode);
    }

    [Fact]
    public async Task The_protocol_of_an_endpoint_changes_for_new_connections()
    {
        await using var server = await StartAsync();
        await using var peer = await ConnectAsync("a");
        await peer.RoundTripAsync(new RequestScript());

        Set("A", $"scgi://unix:{_manager.File("a")}");
        await _manager.ReloadAsync();

        await peer.ExpectEndOfStreamAsync();
        Assert.Equal([$"scgi://unix:{_manager.File("a")}"], server.Addresses.Addresses);
    }

    [Fact]
    public async Task The_watchdog_probes_the_new_endpoints_only()
    {
        _manager.AskForWatchdog();
        await using var server = _manager.NewServer();
        await server.StartAsync();
        Clear("A");
        Set("B", Address("b"));
        _manager.HangUp();
        await server.Logs.WaitForAsync(122);
        await _manager.ForgetAsync();

        // If the watchdog still probed the removed endpoint, it would log an Error and feed nothing.
        await _manager.FedAsync(times: 5);
    }

    private async Task<ServerUnderTest> StartAsync(
        RequestDelegate? handler = null, Action<FastCgiServerOptions>? code = null)
    {
        var server = _manager.NewServer(code);
        await server.StartAsync(handler);
        await _manager.ReadyAsync();
        return server;
    }

    private void Set(string endpoint, string url, string? mode = null)
    {
        _manager.Settings[$"FastCgi:Endpoints:{endpoint}:Url"] = url;
        _manager.Settings[$"FastCgi:Endpoints:{endpoint}:UnixMode"] = mode;
    }

    private void Clear(string endpoint)
    {
        _manager.Settings.Remove($"FastCgi:Endpoints:{endpoint}:Url");
        _manager.Settings.Remove($"FastCgi:Endpoints:{endpoint}:UnixMode");
    }

    private string Address(string name) => $"fastcgi://unix:{_manager.File(name)}";

    private UnixFileMode Mode(string name) => File.GetUnixFileMode(_manager.File(name));

    private Task<ScriptedPeer> ConnectAsync(string name) =>
        ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(_manager.File(name)));

    private async Task<int> StatusAsync(string name)
    {
        await using var peer = await ConnectAsync(name);
        return (await peer.RoundTripAsync(new RequestScript())).StatusCode;
    }

    private Task Block(HttpContext context) =>
        context.Request.Path == "/block" ? _manager.Block(context) : Task.CompletedTask;

    /// <summary>A transport of the application, which binds when the test says so.</summary>
    private sealed class EndlessBind : IConnectionListenerFactory, IConnectionListenerFactorySelector, IConnectionListener
    {
        private readonly TaskCompletionSource<IConnectionListener> _bound = new();

        public TaskCompletionSource Begun { get; } = new();

        public TaskCompletionSource Disposed { get; } = new();

        public EndPoint EndPoint { get; } = new OtherEndPoint("/endless");

        public bool CanBind(EndPoint endpoint) => endpoint == EndPoint;

        public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
        {
            Begun.SetResult();
            return new(_bound.Task);
        }

        public void End() => _bound.SetResult(this);

        public ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default) => default;

        public ValueTask UnbindAsync(CancellationToken cancellationToken = default) => default;

        public ValueTask DisposeAsync()
        {
            Disposed.SetResult();
            return default;
        }
    }
}
