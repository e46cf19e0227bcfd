namespace FastCgi.WebServerTests.Instances;

/// <summary>One process of an application, on a unix socket, for a test that is its web server.</summary>
public abstract class InstanceTest : IAsyncDisposable
{
    private readonly List<ScriptedPeer> _peers = [];
    private ChildProcess? _process;

    private protected WorkDirectory Files { get; } = new();

    private protected ChildProcess App => _process!;

    private protected virtual string SocketPath => Files.File("app.sock");

    /// <summary>Connections that end with the test.</summary>
    private protected IReadOnlyList<ScriptedPeer> Peers => _peers;

    public virtual async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        LeaveAll();
        if (_process is not null)
        {
            await _process.DisposeAsync();
        }

        Files.Dispose();
    }

    /// <summary>Starts it, and waits until it says so.</summary>
    /// <param name="limits">A command of bash that runs before, in the same process.</param>
    private protected Task StartAsync(
        string limits = "true",
        IReadOnlyDictionary<string, string>? environment = null,
        params IEnumerable<string> settings)
    {
        Launch(limits, environment, settings);
        return App.WaitForStartAsync("the application", TimeSpan.FromSeconds(60));
    }

    /// <inheritdoc cref="StartAsync"/>
    private protected virtual void Launch(
        string limits, IReadOnlyDictionary<string, string>? environment, IEnumerable<string> settings) =>
        _process = ChildProcess.Start(
            "bash",
            [.. Arguments(limits), "--FastCgi:Endpoints:App:Url", $"fastcgi://unix:{SocketPath}", .. settings],
            Files.Path,
            environment);

    private protected void LaunchBy(ChildProcess process) => _process = process;

    /// <summary>For bash, without an endpoint.</summary>
    private protected string[] Arguments(string limits) =>
    [
        "-c", $"{limits} && exec \"$0\" \"$@\"",
        "dotnet", Repository.BuiltTestProgram("FastCgi.InstanceApp"), "--Instance", "app",
        "--Orders", Files.File("orders"), "--Logging:LogLevel:Microsoft.AspNetCore=Warning",
    ];

    /// <summary>A connection; waits while the backlog is full.</summary>
    /// <param name="socketPath">Null: <see cref="SocketPath"/>.</param>
    private protected async Task<ScriptedPeer> ConnectAsync(string? socketPath = null)
    {
        while (true)
        {
            try
            {
                return await ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(socketPath ?? SocketPath));
            }
            catch (SocketException exception) when (exception.SocketErrorCode == SocketError.WouldBlock)
            {
                await Task.Yield();
            }
        }
    }

    /// <summary>So many of <see cref="Peers"/> more.</summary>
    /// <inheritdoc cref="ConnectAsync(string?)"/>
    private protected async Task ConnectAsync(int count, string? socketPath = null)
    {
        for (var i = 0; i < count; i++)
        {
            _peers.Add(await ConnectAsync(socketPath));
        }
    }

    /// <summary>Closes the connections of <see cref="Peers"/>.</summary>
    private protected void LeaveAll() => _peers.ForEach(static peer => peer.Socket.Dispose());
}
