namespace FastCgi.WebServerKit;

/// <summary>An application in this process and a web server in front of it.</summary>
internal sealed class Site : IAsyncDisposable
{
    private Site(ServedApp app, WebServer webServer, bool isEncrypted)
    {
        App = app;
        WebServer = webServer;
        Client = TestClient.Create(webServer.EndPoint, isEncrypted);
    }

    public ServedApp App { get; }

    public WebServer WebServer { get; }

    /// <summary>Follows no redirect, keeps no cookie, decompresses nothing.</summary>
    public HttpClient Client { get; }

    public LogRecorder Log => App.Log;

    public IServiceProvider Services => App.Services;

    /// <summary>Behind nginx.</summary>
    /// <inheritdoc cref="ServedApp.StartAsync"/>
    public static Task<Site> StartAsync(
        BackEndKind kind,
        Action<WebApplication> configure,
        Action<WebApplicationBuilder>? build = null,
        NginxSettings? nginx = null)
    {
        var backEnd = BackEnd.Of(kind);
        var settings = nginx ?? NginxSettings.Default;
        return StartAsync(
            ServedApp.StartAsync(backEnd, configure, build),
            app => backEnd.StartNginxAsync(settings, app.SocketPath),
            settings.IsEncrypted);
    }

    /// <summary>On this server, behind any web server.</summary>
    public static Task<Site> StartAsync(
        BackEnd backEnd, Func<ServedApp, Task<WebServer>> start, Action<WebApplication> configure) =>
        StartAsync(ServedApp.StartAsync(backEnd, configure), start, isEncrypted: false);

    /// <summary>On our server, behind any web server.</summary>
    public static Task<Site> StartAsync(
        Func<ServedApp, Task<WebServer>> start,
        Action<WebApplication> configure,
        Action<WebApplicationBuilder>? build = null) =>
        StartAsync(ServedApp.StartOnUnixAndTcpAsync(configure, build), start, isEncrypted: false);

    public Task<RawHttpClient> ConnectAsync() => RawHttpClient.ConnectAsync(WebServer.EndPoint);

    /// <summary>A connection on which this was sent, each character as one byte.</summary>
    public async Task<RawHttpClient> ConnectAsync(string request)
    {
        var client = await ConnectAsync();
        await client.SendAsync(request);
        return client;
    }

    /// <summary>One raw request on a connection of its own.</summary>
    public async Task<RawResponse> SendAsync(string request)
    {
        await using var client = await ConnectAsync(request);
        return await client.ReadResponseAsync(request.StartsWith("HEAD ", StringComparison.Ordinal));
    }

    /// <summary>GET from the host "h", with these header lines, on a connection of its own.</summary>
    public Task<RawResponse> AskAsync(string target, params IEnumerable<string> headers) =>
        SendAsync($"GET {target} HTTP/1.1\r\nHost: h\r\n{string.Concat(headers.Select(static line => line + "\r\n"))}\r\n");

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

    public Task StopAsync() => App.StopAsync();

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        // The web server first: what it still waits for must not hold the application's stop back.
        await WebServer.DisposeAsync();
        await App.DisposeAsync();
    }

    private static async Task<Site> StartAsync(
        Task<ServedApp> starting, Func<ServedApp, Task<WebServer>> start, bool isEncrypted)
    {
        var app = await starting;
        try
        {
            return new Site(app, await start(app), isEncrypted);
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }
    }
}
