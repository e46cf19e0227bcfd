using System.Runtime.InteropServices;
using FastCgi.AspNetCore.Tests.Transport;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Hosting.Internal;

namespace FastCgi.AspNetCore.Tests.Operations.Systemd;

/// <summary>
/// What a server beside systemd has: a socket for notifications, variables, settings that change as a file does, and
/// a manager that sends SIGHUP. The signal reaches every such server of the process, so tests with it share a
/// collection.
/// </summary>
internal sealed partial class FakeSystemd : IAsyncDisposable
{
    public const string Collection = "One service manager at a time";

    private const int Hangup = 1;

    private readonly Latch _goOn = new();
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("fcgi-");
    private readonly LiveSettings _live;

    public FakeSystemd()
    {
        _live = new LiveSettings(Settings);
        var path = File("notify");
        Socket.Bind(new UnixDomainSocketEndPoint(path));
        Variables["NOTIFY_SOCKET"] = path;
    }

    public Socket Socket { get; } = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);

    public Dictionary<string, string> Variables { get; } = [];

    public Dictionary<string, string?> Settings { get; } = [];

    public ManualTimeProvider Time { get; } = new();

    /// <summary>What the application brings beside sockets; null for nothing.</summary>
    public IConnectionListenerFactory? Transport { get; set; }

    public ApplicationLifetime Lifetime { get; } = new(NullLogger<ApplicationLifetime>.Instance);

    /// <summary>
    /// Asks for a watchdog, which is fed in real time: every 0.6 s on a quiet machine. Its probe has 0.45 s there.
    /// </summary>
    public void AskForWatchdog() =>
        Variables["WATCHDOG_USEC"] = $"{Deadline.Of(TimeSpan.FromSeconds(1.8)).TotalMicroseconds:0}";

    public string File(string name) => Path.Combine(_directory.FullName, name);

    /// <summary>A socket that listens at this file: a descriptor that is the server's to close.</summary>
    public ulong ListenAs(string name) => PassedSocket.Create(new UnixDomainSocketEndPoint(File(name)));

    /// <summary>Not started. Its code configures it, then the settings, both at the start and at a reload.</summary>
    public ServerUnderTest NewServer(Action<FastCgiServerOptions>? code = null)
    {
        var configuration = new ConfigurationBuilder().Add(_live).Build();
        return new(
            options =>
            {
                code?.Invoke(options);
                options.Configure(configuration.GetSection("FastCgi"));
            },
            ServerUnderTest.Launch(Variables),
            services =>
            {
                services.AddSingleton<TimeProvider>(Time).AddSingleton<IHostApplicationLifetime>(Lifetime);
                services.AddSingleton<IConfiguration>(configuration).AddFastCgiOptions();
                services.Configure<FastCgiServerOptions>(options => code?.Invoke(options));
                if (Transport is not null)
                {
                    services.AddSingleton(Transport);
                }
            });
    }

    /// <summary>A read of the host, which found these settings, ends now.</summary>
    public void EndReadOf(Dictionary<string, string?> settings) => _live.EndReadOf(settings);

    /// <summary>It ends within the next reload: the server has read this file, and not yet those behind it.</summary>
    public void EndReadWithinReload(Dictionary<string, string?> settings) => _live.Late = settings;

    /// <summary>The next notification.</summary>
    public async Task<string> NextAsync()
    {
        var buffer = new byte[256];
        var length = await Socket.ReceiveAsync(buffer).Within("a notification");
        return Encoding.UTF8.GetString(buffer, 0, length);
    }

    /// <summary>The server has fed the watchdog so many times more.</summary>
    public async Task FedAsync(int times)
    {
        for (var fed = 0; fed < times;)
        {
            fed += await NextAsync() == "WATCHDOG=1" ? 1 : 0;
        }
    }

    /// <summary>Forgets the notifications that have come.</summary>
    public async Task ForgetAsync()
    {
        while (Socket.Available > 0)
        {
            await NextAsync();
        }
    }

    /// <summary>Fills the socket, so that what the server tells is lost until <see cref="ForgetAsync"/>.</summary>
    public void Overflow()
    {
        using var other = new NotifySocket(File("notify"));
        while (other.TrySend("STATUS=busy"))
        {
        }
    }

    /// <summary>The server has told that it is ready.</summary>
    public async Task ReadyAsync() => Assert.StartsWith("READY=1", await NextAsync(), StringComparison.Ordinal);

    /// <summary>SIGHUP.</summary>
    public void HangUp() => Assert.Equal(0, Kill(Environment.ProcessId, Hangup));

    /// <summary>SIGHUP, up to where the server has told that it reloads.</summary>
    public async Task BeginReloadAsync()
    {
        HangUp();
        Assert.Matches("^RELOADING=1\nMONOTONIC_USEC=[0-9]{6,}\nSTATUS=Reloading$", await NextAsync());
    }

    /// <summary>As <c>systemctl reload</c>: returns when the server has told that the reload is over.</summary>
    public async Task ReloadAsync()
    {
        await BeginReloadAsync();
        await ReadyAsync();
    }

    /// <summary>A handler that keeps its thread until <see cref="GoOn"/>.</summary>
    public Task Block(HttpContext context)
    {
        _goOn.Wait();
        return Task.CompletedTask;
    }

    public void GoOn() => _goOn.Set();

    public async ValueTask DisposeAsync()
    {
        await Task.Yield();
        _goOn.Set();
        Socket.Dispose();
        _directory.Delete(recursive: true);
    }

    [LibraryImport("libc", EntryPoint = "kill")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int Kill(int processId, int signal);

    private sealed class LiveSettings(Dictionary<string, string?> settings) : ConfigurationProvider, IConfigurationSource
    {
        public IConfigurationProvider Build(IConfigurationBuilder builder) => this;

        public Dictionary<string, string?>? Late { get; set; }

        public override void Load()
        {
            Read(settings);
            if (Late is { } late)
            {
                Late = null;
                EndReadOf(late);
            }
        }

        public void EndReadOf(Dictionary<string, string?> earlier)
        {
            Read(earlier);
            OnReload();
        }

        private void Read(Dictionary<string, string?> read) =>
            Data = new Dictionary<string, string?>(read, StringComparer.OrdinalIgnoreCase);
    }
}
