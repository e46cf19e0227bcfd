namespace FastCgi.WebServerKit;

/// <summary>An application as it is deployed, a process of its own on a unix socket, behind an nginx.</summary>
internal sealed class ProcessSite : IAsyncDisposable
{
    private static readonly TimeSpan _startDeadline = TimeSpan.FromSeconds(60);

    private readonly WorkDirectory _directory;
    private readonly ChildProcess _app;
    private readonly WebServer _nginx;

    private ProcessSite(WorkDirectory directory, ChildProcess app, WebServer nginx)
    {
        _directory = directory;
        _app = app;
        _nginx = nginx;
        Client = TestClient.Create(nginx.EndPoint);
    }

    public HttpClient Client { get; }

    /// <summary>What the application printed.</summary>
    public ErrorLog Log => _app.Log;

    public bool HasSocketFile => File.Exists(SocketIn(_directory));

    /// <summary>A client that keeps cookies.</summary>
    public HttpClient CreateBrowser() => TestClient.Create(_nginx.EndPoint, keepsCookies: true);

    /// <param name="arguments">The program's, without its address.</param>
    /// <param name="contentRoot">Where the application's files are.</param>
    /// <param name="environment">Beside this process' own.</param>
    /// <param name="endpointOption">What tells the application its endpoint: another one if it has endpoints by itself.</param>
    public static async Task<ProcessSite> StartAsync(
        string program,
        IEnumerable<string> arguments,
        string contentRoot,
        IReadOnlyDictionary<string, string>? environment = null,
        string endpointOption = "--urls")
    {
        var directory = new WorkDirectory();
        var socket = SocketIn(directory);
        string[] all = [.. arguments, endpointOption, $"fastcgi://unix:{socket}"];
        var app = ChildProcess.Start(program, all, contentRoot, environment);
        try
        {
            await app.WaitForStartAsync("the application", _startDeadline);
            var backEnd = IBackEnd.Of(BackEndKind.FastCgi);
            var nginx = await NginxSite.StartAsync(backEnd, new NginxSettings { BuffersRequests = false }, socket);
            return new ProcessSite(directory, app, nginx);
        }
        catch
        {
            await app.DisposeAsync();
            directory.Dispose();
            throw;
        }
    }

    /// <summary>SIGTERM, as from a service manager.</summary>
    /// <returns>The exit code.</returns>
    public Task<int> StopAsync() => _app.StopAsync();

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _nginx.DisposeAsync();
        await _app.DisposeAsync();
        _directory.Dispose();
    }

    private static string SocketIn(WorkDirectory directory) => directory.File("app.sock");
}
