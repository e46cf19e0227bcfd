using System.Collections.Concurrent;
using System.Net.Sockets;

namespace FastCgi.WebServerTests.Instances;

/// <summary>
/// Applications that end by themselves, behind a listener that outlives them and starts the next one when somebody
/// connects, as a .socket unit does. No request is lost. The variables FASTCGI_EXIT_REQUESTS and FASTCGI_EXITS name other
/// numbers for a run by hand.
/// </summary>
public sealed class ExitTests(ITestOutputHelper output) : IAsyncDisposable
{
    private const int Clients = 4;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);
    private static readonly int _requests = Number("FASTCGI_EXIT_REQUESTS", 500);
    private static readonly int _exitsWanted = Number("FASTCGI_EXITS", 4);

    private readonly WorkDirectory _directory = new();
    private readonly InheritedListener _listener = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentQueue<int> _exits = new();

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _stop.Dispose();
        _listener.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public async Task No_request_is_lost_when_processes_are_replaced()
    {
        await using var nginx = await NginxSite.StartAsync(
            IBackEnd.Of(BackEndKind.FastCgi), NginxSettings.Default, _listener.SocketPath);
        using var client = TestClient.Create(nginx.EndPoint);
        var manager = RunAsync("--FastCgi:ExitAfterRequests=50");

        // Through nginx with kept connections, POSTs too, and on a connection for each request.
        var clients = new OrderingClients(client, Clients);
        var failures = new ConcurrentQueue<string>();
        var asked = 0;
        while (_exits.Count < _exitsWanted || asked + clients.ConfirmedOrders.Count < _requests)
        {
            asked++;
            await using var peer = await ConnectAsync();
            var response = await peer.RoundTripAsync(FromNginx(keepConnection: false));
            if (response.BodyText != "exit")
            {
                failures.Enqueue(response.ToString());
            }
        }

        await clients.StopAsync().Within("the last answers", deadline: _patience);
        await _stop.CancelAsync();
        await manager.Within("the end of the last process", deadline: _patience);

        output.WriteLine(
            $"{asked} requests alone, {clients.ConfirmedOrders.Count} orders and as many questions through nginx, " +
            $"{_exits.Count} exits, {failures.Count + clients.FailedOrders.Count + clients.FailedQuestions.Count} lost.");
        Assert.Empty(failures);
        Assert.True(clients.FailedOrders.IsEmpty && clients.FailedQuestions.IsEmpty, $"{nginx.ErrorLog}");
        Assert.All(_exits, static code => Assert.Equal(0, code));
        Assert.Equal(clients.ConfirmedOrders.Order(), (await File.ReadAllLinesAsync(_directory.File("orders"))).Order());
    }

    [Fact]
    public async Task A_process_that_nobody_asks_ends_and_the_next_request_starts_another()
    {
        var manager = RunAsync("--FastCgi:ExitWhenIdleFor=00:00:01");
        for (var i = 0; i < 3; i++)
        {
            var peer = await ConnectAsync();
            Assert.Equal("exit", (await peer.RoundTripAsync(FromNginx(keepConnection: true))).BodyText);

            // A kept connection that is idle keeps the process: its next request would be lost.
            await Task.Delay(TimeSpan.FromSeconds(3));
            Assert.Equal(i, _exits.Count);
            Assert.Equal("exit", (await peer.RoundTripAsync(FromNginx(keepConnection: true))).BodyText);
            await peer.DisposeAsync();
            var deadline = DateTime.UtcNow + _patience;
            while (_exits.Count == i && DateTime.UtcNow < deadline)
            {
                await Task.Delay(20);
            }

            Assert.Equal(i + 1, _exits.Count);
        }

        await _stop.CancelAsync();
        await manager.Within("the end of the manager", deadline: _patience);
        Assert.All(_exits, static code => Assert.Equal(0, code));
    }

    /// <summary>Starts a process when somebody connects, and again when it has ended.</summary>
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

    private static int Number(string variable, int usual) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), out var number) ? number : usual;

    private static RequestScript FromNginx(bool keepConnection) => new()
    {
        KeepConnection = keepConnection,
        ExtraParams = [("SERVER_SOFTWARE", "nginx/1.22.1")],
    };

    private async Task<ScriptedPeer> ConnectAsync()
    {
        var peer = await ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(_listener.SocketPath));
        peer.Timeout = _patience;
        return peer;
    }
}
