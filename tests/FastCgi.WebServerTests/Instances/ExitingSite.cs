using System.Collections.Concurrent;
using System.Net.Sockets;

namespace FastCgi.WebServerTests.Instances;

/// <summary>
/// An application that ends by itself, behind a listener that outlives it, and a manager that starts the next process
/// when somebody connects, as systemd does for a .socket unit.
/// </summary>
internal sealed class ExitingSite : IAsyncDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    private readonly WorkDirectory _directory = new();
    private readonly InheritedListener _listener = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentQueue<int> _exits = new();
    private readonly Task _manager;

    /// <param name="option">What makes the processes end.</param>
    public ExitingSite(string option) => _manager = RunAsync(option);

    public string SocketPath => _listener.SocketPath;

    /// <summary>The exit codes of the processes that have ended.</summary>
    public IReadOnlyCollection<int> Exits => _exits;

    /// <summary>The orders that were executed, by whichever process.</summary>
    public IReadOnlyList<string> Orders => File.ReadAllLines(_directory.File("orders"));

    public async Task<ScriptedPeer> ConnectAsync()
    {
        var peer = await ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(SocketPath));
        peer.Timeout = _patience;
        return peer;
    }

    /// <summary>A request as nginx sends it.</summary>
    public static RequestScript FromNginx(bool keepConnection) => new()
    {
        KeepConnection = keepConnection,
        ExtraParams = [("SERVER_SOFTWARE", "nginx/1.22.1")],
    };

    /// <summary>Ends the last process, and starts no other.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync();
        await _manager.Within("the end of the last process", deadline: _patience);
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _stop.Dispose();
        _listener.Dispose();
        _directory.Dispose();
    }

    private async Task RunAsync(string option)
    {
        while (!_stop.IsCancellationRequested)
        {
            if (!await Task.Run(_listener.HasWaiting))
            {
                continue;
            }

            await using var process = _listener.Start(
                ListenerHandover.Systemd,
                "dotnet",
                Repository.BuiltTestProgram("FastCgi.InstanceApp"),
                "--Instance=exit",
                $"--Orders={_directory.File("orders")}",
                option,
                "--Logging:LogLevel:Default=Warning");
            using var stopping = _stop.Token.Register(() => _ = process.StopAsync());
            _exits.Enqueue(await process.WaitAsync("the exit of a process", TimeSpan.FromMinutes(5)));
        }
    }
}
