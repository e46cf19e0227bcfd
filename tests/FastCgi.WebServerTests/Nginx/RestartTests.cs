namespace FastCgi.WebServerTests.Nginx;

/// <summary>
/// A deployment as people do it: the service manager keeps the listening socket, the application is asked to end and
/// started anew, again and again, while clients go on asking. nginx keeps its connections (<c>fastcgi_keep_conn on</c>).
/// </summary>
[Trait("Category", "Slow")]
public sealed class RestartTests(ITestOutputHelper output)
{
    private const int Restarts = 10;
    private const int Clients = 32;

    private static readonly TimeSpan _step = TimeSpan.FromMinutes(2);

    /// <summary>The variable FASTCGI_RESTART_REQUESTS names another number for a run by hand.</summary>
    private static readonly int _requests = RunSettings.Number("FASTCGI_RESTART_REQUESTS") ?? 20_000;

    [Theory]
    [InlineData(ListenerHandover.Systemd)]
    [InlineData(ListenerHandover.SpawnFcgi)]
    public async Task Ten_restarts_under_load_fail_no_request_when_another_process_keeps_the_socket(
        ListenerHandover handover)
    {
        using var listener = new InheritedListener();
        await using var nginx = await BackEnd.FastCgi.StartNginxAsync(listener.SocketPath);
        using var client = TestClient.Create(nginx.EndPoint);

        var started = TimeProvider.System.GetTimestamp();
        var load = new Load(client, Clients);
        var app = await StartAsync(listener, handover);
        try
        {
            for (var restart = 1; restart <= Restarts; restart++)
            {
                // Each instance has had its share of the requests when it is asked to end.
                await load.AskedAsync(_requests * restart / (Restarts + 1))
                    .Within("a share of the load", app.Log.ToString, _step);
                Assert.Equal(0, await app.StopAsync());
                await app.DisposeAsync();
                app = await StartAsync(listener, handover);
            }

            await load.AskedAsync(_requests).Within("the rest of the load", app.Log.ToString, _step);
            await load.StopAsync().Within("the last answers");
        }
        finally
        {
            await app.DisposeAsync();
        }

        var elapsed = TimeProvider.System.GetElapsedTime(started);
        output.WriteLine(
            $"{load.Asked} requests, {load.Failures.Count} failed, {Restarts} restarts, {elapsed.TotalSeconds:F1} s.");
        Assert.True(load.Failures.IsEmpty, $"{Summary(load)}\n{nginx.ErrorLog}");
    }

    private static string Summary(Load load) =>
        $"{load.Failures.Count} of {load.Asked} requests failed:\n{string.Join('\n', load.Failures.Take(20))}";

    private static async Task<ChildProcess> StartAsync(InheritedListener listener, ListenerHandover handover)
    {
        var app = listener.Start(
            handover, "dotnet", Repository.BuiltSample("Hello"), "--Logging:LogLevel:Microsoft.AspNetCore=Warning");
        await app.WaitForStartAsync("the application", _step);
        return app;
    }
}

/// <summary>Clients that ask without a pause until they are stopped. All but the right answer is a failure.</summary>
internal sealed class Load
{
    private static readonly (Uri Target, string Answer)[] _requests =
    [
        (new Uri("plaintext", UriKind.Relative), "Hello, World!"),
        (new Uri("json", UriKind.Relative), "{\"message\":\"Hello, World!\"}"),
    ];

    private readonly HttpClient _client;
    private readonly Task _clients;
    private readonly ConcurrentQueue<(int Count, TaskCompletionSource Reached)> _awaited = new();
    private volatile bool _isStopped;
    private int _asked;

    public Load(HttpClient client, int clients)
    {
        _client = client;
        _clients = Task.WhenAll(Enumerable.Range(0, clients).Select(_ => Task.Run(AskAsync)));
    }

    /// <summary>Requests that have had their answer, right or wrong.</summary>
    public int Asked => Volatile.Read(ref _asked);

    public ConcurrentQueue<string> Failures { get; } = new();

    /// <summary>Completes with the request of this number.</summary>
    public Task AskedAsync(int count)
    {
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _awaited.Enqueue((count, reached));
        Announce(Asked);
        return reached.Task;
    }

    public Task StopAsync()
    {
        _isStopped = true;
        return _clients;
    }

    private async Task AskAsync()
    {
        for (var i = 0; !_isStopped; i++)
        {
            var (target, answer) = _requests[i % _requests.Length];
            if (await FailureAsync(target, answer) is { } failure)
            {
                Failures.Enqueue(failure);
            }

            Announce(Interlocked.Increment(ref _asked));
        }
    }

    private async Task<string?> FailureAsync(Uri target, string answer)
    {
        try
        {
            using var response = await _client.GetAsync(target);
            var text = await response.Content.ReadAsStringAsync();
            return response.StatusCode == HttpStatusCode.OK && text == answer ? null : $"{response.StatusCode}: {text}";
        }
        catch (Exception e) when (e is HttpRequestException or OperationCanceledException)
        {
            return e.ToString();
        }
    }

    private void Announce(int asked)
    {
        foreach (var (count, reached) in _awaited)
        {
            if (asked >= count)
            {
                reached.TrySetResult();
            }
        }
    }
}
