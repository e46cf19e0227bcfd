namespace FastCgi.WebServerKit;

/// <summary>An application and an nginx in front of it.</summary>
internal sealed class Site : IAsyncDisposable
{
    private readonly ServedApp _app;

    private Site(ServedApp app, WebServer nginx, NginxSettings settings)
    {
        _app = app;
        Nginx = nginx;
        Client = TestClient.Create(nginx.EndPoint, settings.IsEncrypted);
    }

    public WebServer Nginx { get; }

    /// <summary>Follows no redirect, keeps no cookie, decompresses nothing.</summary>
    public HttpClient Client { get; }

    public LogRecorder Log => _app.Log;

    public IServiceProvider Services => _app.Services;

    /// <inheritdoc cref="ServedApp.StartAsync"/>
    public static async Task<Site> StartAsync(
        BackEndKind kind,
        Action<WebApplication> configure,
        Action<WebApplicationBuilder>? build = null,
        NginxSettings? nginx = null)
    {
        var backEnd = IBackEnd.Of(kind);
        var settings = nginx ?? NginxSettings.Default;
        var app = await ServedApp.StartAsync(backEnd, configure, build);
        try
        {
            return new Site(app, await NginxSite.StartAsync(backEnd, settings, app.SocketPath), settings);
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }
    }

    public Task<RawHttpClient> ConnectAsync() => RawHttpClient.ConnectAsync(Nginx.EndPoint);

    /// <summary>One raw request on a connection of its own.</summary>
    public async Task<RawResponse> SendAsync(string request)
    {
        await using var client = await ConnectAsync();
        await client.SendAsync(request);
        return await client.ReadResponseAsync(request.StartsWith("HEAD ", StringComparison.Ordinal));
    }

    /// <returns>Null when the connection ended before the head of a response.</returns>
    public async Task<RawResponse?> TrySendAsync(string request)
    {
        try
        {
            return await SendAsync(request);
        }
        catch (IOException)
        {
            return null;
        }
    }

    public Task StopAsync() => _app.StopAsync();

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        // nginx first: what it still waits for must not hold the application's stop back.
        await Nginx.DisposeAsync();
        await _app.DisposeAsync();
    }
}
