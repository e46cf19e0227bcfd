namespace FastCgi.WebServerTests.Matrix;

/// <summary>An application that ends and is started again at the same addresses, while its web server goes on.</summary>
internal sealed class RestartingSite : IAsyncDisposable
{
    private readonly WorkDirectory _directory = new();
    private readonly MatrixColumn _column;
    private readonly IPEndPoint _tcp = new(IPAddress.Loopback, FreePort.Take());
    private StartedProgram? _program;
    private WebApplication? _app;
    private WebServer? _webServer;
    private HttpClient? _client;

    private RestartingSite(MatrixColumn column) => _column = column;

    private bool IsStartedByWebServer => _column.Reach == MatrixReach.Started;

    private string Socket => _directory.File("app.sock");

    public static Task<RestartingSite> StartAsync(MatrixColumn column, TestAuthority authority) =>
        new RestartingSite(column).StartedAsync(site => site.StartAsync(authority));

    /// <returns>The status.</returns>
    public async Task<int> AskAsync()
    {
        using var answer = await _client!.GetAsync(new Uri("/text", UriKind.Relative))
            .Within("the answer", _webServer!.ErrorLog.ToString, MatrixSite.Patience);
        return (int)answer.StatusCode;
    }

    /// <returns>How a request is answered then; null where the web server starts the application by itself.</returns>
    public async Task<int?> StopAsync()
    {
        if (IsStartedByWebServer)
        {
            using var answer = await _client!.PostAsync(new Uri("/stop", UriKind.Relative), null)
                .Within("the answer", _webServer!.ErrorLog.ToString, MatrixSite.Patience);
            return null;
        }

        await EndAppAsync();
        return await AskAsync();
    }

    /// <summary>Asks until the application is there; a web server may think for a moment that it still is not.</summary>
    /// <returns>False when it is not served within the test's patience.</returns>
    public async Task<bool> StartAgainAsync()
    {
        if (!IsStartedByWebServer)
        {
            await StartAppAsync();
        }

        var started = TimeProvider.System.GetTimestamp();
        while (await AskAsync() != StatusCodes.Status200OK)
        {
            if (TimeProvider.System.GetElapsedTime(started) > Deadline.Of(MatrixSite.Patience))
            {
                return false;
            }
        }

        return true;
    }

    public async ValueTask DisposeAsync()
    {
        _client?.Dispose();
        if (_webServer is not null)
        {
            await _webServer.DisposeAsync();
        }

        await EndAppAsync();
        _program?.Dispose();
        _directory.Dispose();
    }

    private async Task StartAsync(TestAuthority authority)
    {
        _directory.LetEverybodyThrough();
        if (IsStartedByWebServer)
        {
            _program = new StartedProgram(typeof(MatrixApplication).Assembly.Location, new Dictionary<string, string>());
        }
        else
        {
            await StartAppAsync();
        }

        var reach = _column.Reach switch
        {
            MatrixReach.Unix or MatrixReach.Scgi => new SampleReach(Socket: Socket),
            MatrixReach.Tcp or MatrixReach.ScgiTcp => new SampleReach(Tcp: _tcp),
            _ => new SampleReach(Program: _program),
        };
        (_webServer, _) = await _column.Sample.StartAsync(authority, reach);
        _client = TestClient.Create(_webServer.EndPoint);
    }

    private async Task StartAppAsync()
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

    private async Task EndAppAsync()
    {
        if (_app is { } app)
        {
            _app = null;
            await app.StopAsync().Within("the application's stop", deadline: MatrixSite.Patience);
            await app.DisposeAsync().AsTask().Within("the application's end");
        }
    }
}
