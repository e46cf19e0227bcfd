namespace FastCgi.WebServerTests.Instances;

/// <summary>One of several instances of an application: a process that is ended and started again at one address.</summary>
/// <param name="name">What it answers with.</param>
/// <param name="machine">Where it runs; null for here.</param>
/// <param name="webHost">Who may connect beside this machine.</param>
internal sealed class Instance(
    string name, string url, string orderBook, TestMachine? machine = null, TestMachine? webHost = null)
    : IAsyncDisposable
{
    private const string Scheme = "fastcgi://";

    private static readonly TimeSpan _startDeadline = TimeSpan.FromSeconds(60);

    private ChildProcess? _process;

    /// <summary>What it answers with.</summary>
    public string Name => name;

    /// <summary>As it stands in nginx's file.</summary>
    public string Address => url[Scheme.Length..];

    /// <summary>What the process printed that was started last.</summary>
    public ErrorLog Log => _process!.Log;

    /// <summary>Every order that was executed here, by whichever process.</summary>
    public IReadOnlyList<string> Orders => File.Exists(orderBook) ? File.ReadAllLines(orderBook) : [];

    public static Instance OnUnixSocket(string name, WorkDirectory directory) =>
        new(name, $"{Scheme}unix:{directory.File($"{name}.sock")}", directory.File($"{name}.orders"));

    public static Instance OnTcp(string name, WorkDirectory directory) =>
        new(name, $"{Scheme}127.0.0.1:{FreePort.Take()}", directory.File($"{name}.orders"));

    /// <summary>On port 9000 of a machine, for the web host alone.</summary>
    public static Instance OnMachine(string name, TestMachine machine, TestMachine webHost, WorkDirectory directory) =>
        new(name, $"{Scheme}{machine.Address}:9000", directory.File($"{name}.orders"), machine, webHost);

    public async Task StartAsync()
    {
        await DisposeAsync();
        string[] arguments =
        [
            Repository.BuiltTestProgram("FastCgi.InstanceApp"), "--FastCgi:Endpoints:App:Url", url,
            "--Instance", name, "--Orders", orderBook, "--Logging:LogLevel:Microsoft.AspNetCore=Warning",
            .. webHost is null ? [] : new[] { "--FastCgi:Endpoints:App:AllowedClients:0", $"{webHost.Address}" },
        ];
        var directory = Path.GetDirectoryName(orderBook)!;
        _process = machine?.Start("dotnet", arguments, directory) ?? ChildProcess.Start("dotnet", arguments, directory);
        await _process.WaitForStartAsync($"instance {name}", _startDeadline);
    }

    /// <summary>SIGKILL: what it was about to answer is lost.</summary>
    public Task KillAsync() => _process!.KillAsync();

    /// <summary>SIGTERM, as from a service manager.</summary>
    public async Task StopAsync() => Assert.Equal(0, await _process!.StopAsync());

    public async ValueTask DisposeAsync()
    {
        if (_process is not null)
        {
            await _process.DisposeAsync();
        }
    }
}

/// <summary>Two running instances of one application.</summary>
internal sealed class InstancePair : IAsyncDisposable
{
    private readonly WorkDirectory _directory = new();

    private InstancePair(Func<string, WorkDirectory, Instance> at)
    {
        First = at("first", _directory);
        Second = at("second", _directory);
    }

    public Instance First { get; }

    public Instance Second { get; }

    /// <summary>The orders that were executed, by either.</summary>
    public IReadOnlyList<string> Orders => [.. First.Orders, .. Second.Orders];

    public static Task<InstancePair> StartOnUnixSocketsAsync() => StartAsync(Instance.OnUnixSocket);

    public static Task<InstancePair> StartOnTcpAsync() => StartAsync(Instance.OnTcp);

    public override string ToString() => $"{First.Name}:\n{First.Log}\n{Second.Name}:\n{Second.Log}";

    public async ValueTask DisposeAsync()
    {
        await First.DisposeAsync();
        await Second.DisposeAsync();
        _directory.Dispose();
    }

    private static Task<InstancePair> StartAsync(Func<string, WorkDirectory, Instance> at) => new InstancePair(at)
        .StartedAsync(static pair => Task.WhenAll(pair.First.StartAsync(), pair.Second.StartAsync()));
}

/// <summary>Two instances on unix sockets for all tests of a class, each of which leaves both running.</summary>
public sealed class SharedPair : IAsyncLifetime
{
    internal InstancePair Pair { get; private set; } = null!;

    public async ValueTask InitializeAsync() => Pair = await InstancePair.StartOnUnixSocketsAsync();

    public ValueTask DisposeAsync() => Pair.DisposeAsync();
}
