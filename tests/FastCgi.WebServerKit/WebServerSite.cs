namespace FastCgi.WebServerKit;

/// <summary>An application on our server and one of Debian's web servers in front of it.</summary>
internal sealed class WebServerSite : IAsyncDisposable
{
    private WebServerSite(ServedApp app, WebServer webServer)
    {
        App = app;
        WebServer = webServer;
        Client = TestClient.Create(webServer.EndPoint);
    }

    public ServedApp App { get; }

    public WebServer WebServer { get; }

    /// <summary>Follows no redirect, keeps no cookie, decompresses nothing.</summary>
    public HttpClient Client { get; }

    /// <param name="start">Starts the web server in front of the application.</param>
    /// <param name="configure">Endpoints and middleware.</param>
    /// <param name="build">Services and configuration.</param>
    public static async Task<WebServerSite> StartAsync(
        Func<ServedApp, Task<WebServer>> start,
        Action<WebApplication> configure,
        Action<WebApplicationBuilder>? build = null)
    {
        var app = await ServedApp.StartOnUnixAndTcpAsync(configure, build);
        try
        {
            return new WebServerSite(app, await start(app));
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }
    }

    public Task<RawHttpClient> ConnectAsync() => RawHttpClient.ConnectAsync(WebServer.EndPoint);

    /// <summary>One raw request on a connection of its own.</summary>
    public async Task<RawResponse> SendAsync(string request)
    {
        await using var client = await ConnectAsync();
        await client.SendAsync(request);
        return await client.ReadResponseAsync(request.StartsWith("HEAD ", StringComparison.Ordinal));
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        // The web server first: what it still waits for must not hold the application's stop back.
        await WebServer.DisposeAsync();
        await App.DisposeAsync();
    }
}
