namespace FastCgi.WebServerTests.Instances;

/// <summary>
/// Applications that end by themselves, behind a listener that outlives them and starts the next one when somebody
/// connects, as a .socket unit does. No request is lost. The variables FASTCGI_EXITS, FASTCGI_EXIT_REQUESTS and
/// FASTCGI_EXIT_SITES give other numbers for a long run: an exit is mostly waiting, so several sites share a processor.
/// </summary>
public sealed class ExitTests(ITestOutputHelper output)
{
    private const int Clients = 4;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);
    private static readonly int _requestsWanted = RunSettings.Number("FASTCGI_EXIT_REQUESTS") ?? 500;
    private static readonly int _exitsWanted = RunSettings.Number("FASTCGI_EXITS") ?? 4;
    private static readonly int _sites = RunSettings.Number("FASTCGI_EXIT_SITES") ?? 1;

    private int _requests;
    private int _exits;

    [Fact]
    public async Task No_request_is_lost_when_processes_are_replaced()
    {
        var lost = new ConcurrentQueue<string>();
        await Task.WhenAll(Enumerable.Range(0, _sites).Select(_ => Task.Run(() => ReplaceAsync(lost))));
        var line = string.Create(
            CultureInfo.InvariantCulture, $"=> exits: {_requests} requests, {_exits} exits, {lost.Count} lost");
        output.WriteLine(line);
        Console.WriteLine(line);
        Assert.Empty(lost);
    }

    [Fact]
    public async Task A_process_that_nobody_asks_ends_and_the_next_request_starts_another()
    {
        await using var site = new ExitingSite("--FastCgi:ExitWhenIdleFor=00:00:01");
        for (var i = 0; i < 2; i++)
        {
            var peer = await site.ConnectAsync();
            Assert.Equal("exit", (await peer.RoundTripAsync(ExitingSite.FromNginx(keepConnection: true))).BodyText);
            if (i == 0)
            {
                // A kept connection that is idle keeps the process: its next request would be lost.
                await Task.Delay(TimeSpan.FromSeconds(3));
                Assert.Empty(site.Exits);
                Assert.Equal("exit", (await peer.RoundTripAsync(ExitingSite.FromNginx(keepConnection: true))).BodyText);
            }

            await peer.DisposeAsync();
            await Eventually.HoldsAsync(() => site.Exits.Count > i, () => $"{site.Exits.Count} ended", _patience);
            Assert.Equal(i + 1, site.Exits.Count);
        }

        await site.StopAsync();
        Assert.All(site.Exits, static code => Assert.Equal(0, code));
    }

    /// <summary>One site's share: through nginx with kept connections, POSTs too, and on a connection for each request.</summary>
    private async Task ReplaceAsync(ConcurrentQueue<string> lost)
    {
        await using var site = new ExitingSite("--FastCgi:ExitAfterRequests=50");
        await using var nginx = await BackEnd.FastCgi.StartNginxAsync(site.SocketPath);
        using var client = TestClient.Create(nginx.EndPoint);
        var clients = new OrderingClients(client, Clients);
        var alone = 0;
        while (site.Exits.Count * _sites < _exitsWanted || (alone + Answered(clients)) * _sites < _requestsWanted)
        {
            alone++;
            await using var peer = await site.ConnectAsync();
            var response = await peer.RoundTripAsync(ExitingSite.FromNginx(keepConnection: false));
            if (response.BodyText != "exit")
            {
                lost.Enqueue($"alone: {response}");
            }
        }

        await clients.StopAsync().Within("the last answers", deadline: _patience);
        var exits = site.Exits.Count;
        await site.StopAsync();
        var failures = clients.FailedOrders.Select(static order => order.Failure).Concat(clients.FailedQuestions);
        foreach (var failure in failures)
        {
            lost.Enqueue($"through nginx: {failure} {nginx.ErrorLog}");
        }

        Interlocked.Add(ref _requests, alone + Answered(clients));
        Interlocked.Add(ref _exits, exits);
        Assert.All(site.Exits, static code => Assert.Equal(0, code));
        Assert.Equal(clients.ConfirmedOrders.Order(), site.Orders.Order());
    }

    /// <summary>Orders that were confirmed, and a question before each.</summary>
    private static int Answered(OrderingClients clients) => clients.ConfirmedOrders.Count * 2;
}

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
