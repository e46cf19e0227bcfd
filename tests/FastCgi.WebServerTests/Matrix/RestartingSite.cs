namespace FastCgi.WebServerTests.Matrix;

/// <summary>An application that ends and is started again at the same addresses, while its web server goes on.</summary>
internal sealed class RestartingSite : IAsyncDisposable
{
    private readonly WorkDirectory _directory = new();
    private readonly MatrixColumn _column;
    private readonly IPEndPoint _tcp = new(IPAddress.Loopback, FreePort.Take());
    private WebApplication? _app;
    private WebServer? _webServer;

    private RestartingSite(MatrixColumn column) => _column = column;

    public IPEndPoint EndPoint => _webServer!.EndPoint;

    private string Socket => _directory.File("app.sock");

    /// <param name="column">One whose web server connects to the application.</param>
    public static Task<RestartingSite> StartAsync(MatrixColumn column, TestAuthority authority) =>
        new RestartingSite(column).StartedAsync(async site =>
        {
            site._directory.LetEverybodyThrough();
            await site.StartAppAsync();
            var reach = column.Reach is MatrixReach.Unix or MatrixReach.Scgi
                ? new SampleReach(Socket: site.Socket)
                : new SampleReach(Tcp: site._tcp);
            (site._webServer, _) = await column.Sample.StartAsync(authority, reach);
        });

    public string Log() => _webServer!.ErrorLog.ToString();

    public async Task StartAppAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseFastCgi(options =>
        {
            if (_column.Reach is MatrixReach.Scgi or MatrixReach.ScgiTcp)
            {
                options.ConfigureEndpointDefaults(static endpoint => endpoint.Protocol = FastCgiEndpointProtocol.Scgi);
            }

            options.ListenUnixSocket(Socket, socket => socket.UnixMode = WorkDirectory.EverybodysFile);
            options.Listen(_tcp);
        });
        _app = builder.Build();
        MatrixApplication.Configure(_app);
        await _app.StartAsync().Within("the application's start");
    }

    public async Task EndAppAsync()
    {
        if (_app is { } app)
        {
            _app = null;
            await app.StopAsync().Within("the application's stop", deadline: MatrixSite.Patience);
            await app.DisposeAsync().AsTask().Within("the application's end");
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_webServer is not null)
        {
            await _webServer.DisposeAsync();
        }

        await EndAppAsync();
        _directory.Dispose();
    }
}
