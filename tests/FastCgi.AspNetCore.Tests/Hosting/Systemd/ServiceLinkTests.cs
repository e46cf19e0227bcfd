using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Text;
using FastCgi.TestKit;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace FastCgi.AspNetCore.Tests.Hosting.Systemd;

/// <summary>A server beside a service manager, as systemd is: what it is told, and when it is not.</summary>
[SupportedOSPlatform("linux")]
public sealed partial class ServiceLinkTests : IAsyncDisposable
{
    private const int Hangup = 1;

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("fcgi-");
    private readonly Socket _manager = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
    private readonly Dictionary<string, string> _variables = [];
    private readonly ManualTimeProvider _time = new();
    private readonly Lifetime _lifetime = new();
    private readonly ManualResetEventSlim _goOn = new();

    public ServiceLinkTests()
    {
        var path = Path.Combine(_directory.FullName, "notify");
        _manager.Bind(new UnixDomainSocketEndPoint(path));
        _variables["NOTIFY_SOCKET"] = path;
    }

    public async ValueTask DisposeAsync()
    {
        await Task.Yield();
        _goOn.Set();
        _goOn.Dispose();
        _manager.Dispose();
        _lifetime.Dispose();
        _directory.Delete(recursive: true);
    }

    [Fact]
    public async Task Readiness_status_and_stop_are_told()
    {
        await using var server = NewServer();
        await server.StartAsync();
        Assert.Equal("READY=1\nSTATUS=0 requests running, 0 served", await NextAsync());
        await using (var peer = await server.ConnectAsync())
        {
            await peer.RoundTripAsync(new RequestScript());
        }

        // The client has its answer a moment before the request is counted as ended.
        var told = "";
        await Eventually.HoldsAsync(
            () => (told = StatusAfterTenSeconds()) == "STATUS=0 requests running, 1 served", () => $"told last: {told}");
        _lifetime.StopApplication();

        Assert.Equal("STOPPING=1\nSTATUS=Stopping", await NextAsync());
    }

    [Fact]
    public async Task An_abstract_socket_is_told_too()
    {
        using var manager = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        var name = $"fcgi-{Guid.NewGuid():N}";
        manager.Bind(new UnixDomainSocketEndPoint($"\0{name}"));
        _variables["NOTIFY_SOCKET"] = $"@{name}";
        await using var server = NewServer();

        await server.StartAsync();

        var buffer = new byte[256];
        var length = await manager.ReceiveAsync(buffer).Within("a notification");
        Assert.StartsWith("READY=1", Encoding.UTF8.GetString(buffer, 0, length), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("vsock:2:1234")]
    [InlineData("/nowhere/notify")]
    public async Task A_manager_that_cannot_be_told_stops_no_start(string address)
    {
        _variables["NOTIFY_SOCKET"] = address;
        await using var server = NewServer();

        await server.StartAsync();

        await using var peer = await server.ConnectAsync();
        Assert.Equal(200, (await peer.RoundTripAsync(new RequestScript())).StatusCode);
    }

    [Fact]
    public async Task The_watchdog_is_fed_while_one_handler_never_returns()
    {
        _variables["WATCHDOG_USEC"] = "600000";
        await using var server = NewServer();
        await server.StartAsync(Block);
        await using var peer = await server.ConnectAsync();
        await peer.SendRequestAsync(new RequestScript());

        for (var fed = 0; fed < 5;)
        {
            fed += await NextAsync() == "WATCHDOG=1" ? 1 : 0;
        }

        _goOn.Set();
        await peer.ExpectResponseAsync();
    }

    [Fact]
    public async Task The_watchdog_is_not_fed_when_all_places_are_held_and_none_becomes_free()
    {
        _variables["WATCHDOG_USEC"] = "600000";
        await using var server = NewServer(static options => options.Limits.MaxConcurrentRequests = 1);
        server.Logs.ExpectError(116);
        await server.StartAsync(Block);
        await using var peer = await server.ConnectAsync();
        await peer.SendRequestAsync(new RequestScript());

        await server.Logs.WaitForAsync(116);
        while (_manager.Available > 0)
        {
            await NextAsync();
        }

        // It is fed again when the handler returns: nothing comes before.
        var next = NextAsync();
        Assert.False(next.IsCompleted);
        _goOn.Set();
        Assert.Equal("WATCHDOG=1", await next);
        await peer.ExpectResponseAsync();
    }

    [Fact]
    public async Task A_watchdog_without_notification_is_warned_of()
    {
        _variables.Clear();
        _variables["WATCHDOG_USEC"] = "600000";
        await using var server = NewServer();

        await server.StartAsync();

        Assert.Contains(server.Logs.Entries, static entry => entry.Level == LogLevel.Warning
            && entry.Message.Contains("Set Type=notify", StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_exit_without_a_socket_that_was_passed_is_warned_of_and_does_not_happen()
    {
        _variables.Clear();
        await using var server = NewServer(static options => options.ExitAfterRequests = 1);
        await server.StartAsync();
        await using var peer = await server.ConnectAsync();
        await peer.RoundTripAsync(new RequestScript());
        await peer.RoundTripAsync(new RequestScript());
        _time.Advance(TimeSpan.FromSeconds(2));

        Assert.False(_lifetime.ApplicationStopping.IsCancellationRequested);
        var address = Assert.Single(server.Addresses.Addresses);
        Assert.Contains(server.Logs.Entries, entry => entry.EventId.Id == 115
            && entry.Message.Contains($"of {address} itself", StringComparison.Ordinal)
            && entry.Message.Contains("Restart=always", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_reload_takes_new_limits_and_loses_no_request()
    {
        var settings = new Dictionary<string, string?> { ["FastCgi:Limits:MaxRequestBodySize"] = "10" };
        await using var server = NewServer(configuration: settings);
        await server.StartAsync(Block);
        Assert.StartsWith("READY=1", await NextAsync(), StringComparison.Ordinal);
        await using var peer = await server.ConnectAsync();
        await peer.SendRequestAsync(new RequestScript());

        settings["FastCgi:Limits:MaxConcurrentRequests"] = "1";
        Assert.Equal(0, Kill(Environment.ProcessId, Hangup));

        Assert.Matches("^RELOADING=1\nMONOTONIC_USEC=[0-9]{6,}\nSTATUS=Reloading$", await NextAsync());
        Assert.StartsWith("READY=1", await NextAsync(), StringComparison.Ordinal);
        await using var second = await server.ConnectAsync();
        await using var third = await server.ConnectAsync();
        await second.SendRequestAsync(new RequestScript());
        await second.SynchronizeAsync();
        Assert.Equal(503, (await third.RoundTripAsync(new RequestScript())).StatusCode);
        _goOn.Set();
        Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
        Assert.Equal(200, (await second.ExpectResponseAsync()).StatusCode);
    }

    [Fact]
    public async Task A_reload_that_fails_leaves_everything_as_it_was()
    {
        var settings = new Dictionary<string, string?> { ["FastCgi:Limits:MaxConcurrentRequests"] = "5" };
        await using var server = NewServer(configuration: settings);
        server.Logs.ExpectError(120);
        await server.StartAsync();
        Assert.StartsWith("READY=1", await NextAsync(), StringComparison.Ordinal);

        settings["FastCgi:Limits:MaxConcurrentRequests"] = "none";
        Assert.Equal(0, Kill(Environment.ProcessId, Hangup));

        Assert.StartsWith("RELOADING=1", await NextAsync(), StringComparison.Ordinal);
        Assert.StartsWith("READY=1", await NextAsync(), StringComparison.Ordinal);
        await using var peer = await server.ConnectAsync();
        Assert.Equal(200, (await peer.RoundTripAsync(new RequestScript())).StatusCode);
    }

    [LibraryImport("libc", EntryPoint = "kill")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int Kill(int processId, int signal);

    private ServerUnderTest NewServer(
        Action<FastCgiServerOptions>? configure = null, Dictionary<string, string?>? configuration = null) => new(
        options =>
        {
            options.Listen(System.Net.IPAddress.Loopback, 0);
            configure?.Invoke(options);
        },
        ServerUnderTest.Launch(_variables),
        services =>
        {
            services.AddSingleton<TimeProvider>(_time).AddSingleton<IHostApplicationLifetime>(_lifetime);
            var source = new LiveSettings(configuration ?? []);
            services.AddSingleton<IConfiguration>(new ConfigurationBuilder().Add(source).Build());
            services.AddFastCgiOptions();
        });

    /// <summary>Empty where it has not changed.</summary>
    private string StatusAfterTenSeconds()
    {
        _time.Advance(TimeSpan.FromSeconds(10));
        var buffer = new byte[256];
        return _manager.Available > 0 ? Encoding.UTF8.GetString(buffer, 0, _manager.Receive(buffer)) : "";
    }

    private async Task<string> NextAsync()
    {
        var buffer = new byte[256];
        var length = await _manager.ReceiveAsync(buffer).Within("a notification");
        return Encoding.UTF8.GetString(buffer, 0, length);
    }

    private Task Block(HttpContext context)
    {
        Assert.True(_goOn.Wait(TimeSpan.FromMinutes(1)), "The test did not let the handler go on.");
        return Task.CompletedTask;
    }

    /// <summary>Settings that change between two reads, as a file does.</summary>
    private sealed class LiveSettings(Dictionary<string, string?> settings) : ConfigurationProvider, IConfigurationSource
    {
        public IConfigurationProvider Build(IConfigurationBuilder builder) => this;

        public override void Load() =>
            Data = new Dictionary<string, string?>(settings, StringComparer.OrdinalIgnoreCase);
    }

    private sealed class Lifetime : IHostApplicationLifetime, IDisposable
    {
        private readonly CancellationTokenSource _stopping = new();

        public CancellationToken ApplicationStarted => default;

        public CancellationToken ApplicationStopping => _stopping.Token;

        public CancellationToken ApplicationStopped => default;

        public void StopApplication() => _stopping.Cancel();

        public void Dispose() => _stopping.Dispose();
    }
}
