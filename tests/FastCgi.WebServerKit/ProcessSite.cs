namespace FastCgi.WebServerKit;

/// <summary>An application as it is deployed, a process of its own on a unix socket, behind an nginx.</summary>
internal sealed class ProcessSite : IAsyncDisposable
{
    private static readonly TimeSpan s_startDeadline = TimeSpan.FromSeconds(60);

    private readonly WorkDirectory _directory = new();
    private readonly Func<string, ChildProcess> _launch;
    private ChildProcess _app;
    private WebServer? _nginx;

    private ProcessSite(Func<string, ChildProcess> launch)
    {
        _launch = launch;
        _app = launch(Socket);
        Client = null!;
    }

    public HttpClient Client { get; private set; }

    public IPEndPoint EndPoint => _nginx!.EndPoint;

    /// <summary>Where a browser finds it.</summary>
    public Uri Address => new($"http://{EndPoint}/");

    /// <summary>What the application printed since it was started last.</summary>
    public ErrorLog Log => _app.Log;

    /// <summary>Where the application listens.</summary>
    public string Socket => _directory.File("app.sock");

    public bool HasSocketFile => File.Exists(Socket);

    /// <param name="arguments">The program's, without its address.</param>
    /// <param name="environment">Beside this process' own.</param>
    /// <param name="endpointOption">What tells the application its endpoint: another one if it has endpoints by itself.</param>
    public static Task<ProcessSite> StartAsync(
        string program,
        IEnumerable<string> arguments,
        string contentRoot,
        IReadOnlyDictionary<string, string>? environment = null,
        string endpointOption = "--urls") => StartAsync(
        socket => ChildProcess.Start(
            program, [.. arguments, endpointOption, $"fastcgi://unix:{socket}"], contentRoot, environment),
        static socket => BackEnd.FastCgi.StartNginxAsync(new NginxSettings { BuffersRequests = false }, socket));

    public static Task<ProcessSite> StartAsync(
        Func<string, ChildProcess> launch, Func<string, Task<WebServer>> startNginx) =>
        new ProcessSite(launch).StartedAsync(async site =>
        {
            await site._app.WaitForStartAsync("the application", s_startDeadline);
            site._nginx = await startNginx(site.Socket);
            site.Client = TestClient.Create(site.EndPoint);
        });

    /// <summary>A client that keeps cookies.</summary>
    public HttpClient CreateBrowser() => TestClient.Create(EndPoint, keepsCookies: true);

    public Task<RawHttpClient> ConnectAsync() => RawHttpClient.ConnectAsync(EndPoint);

    /// <summary>SIGTERM, as from a service manager; nginx goes on.</summary>
    public Task<int> StopAsync() => _app.StopAsync();

    /// <summary>Starts the application that was stopped, on the same socket.</summary>
    public async Task StartAgainAsync()
    {
        await _app.DisposeAsync();
        _app = _launch(Socket);
        await _app.WaitForStartAsync("the application", s_startDeadline);
    }

    public async ValueTask DisposeAsync()
    {
        Client?.Dispose();
        if (_nginx is not null)
        {
            await _nginx.DisposeAsync();
        }

        await _app.DisposeAsync();
        _directory.Dispose();
    }
}
