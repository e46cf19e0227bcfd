using FastCgi.WebServerTests.Rows;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>The application behind the web server of one column.</summary>
internal sealed class MatrixSite : ISide
{
    private readonly MatrixApps _apps;
    private readonly WebServer _webServer;
    private readonly IPEndPoint _encrypted;

    private MatrixSite(MatrixApps apps, MatrixColumn column, WebServer webServer, IPEndPoint encrypted)
    {
        _apps = apps;
        _webServer = webServer;
        _encrypted = encrypted;
        Column = column;
        Client = TestClient.Create(webServer.EndPoint);
    }

    /// <summary>For what has to happen.</summary>
    public static TimeSpan Patience { get; } = TimeSpan.FromSeconds(30);

    public MatrixColumn Column { get; }

    public HttpClient Client { get; }

    public Uri WebSocketUri => new($"ws://{_webServer.EndPoint}/ws");

    public static async Task<MatrixSite> StartAsync(
        MatrixApps apps, MatrixColumn column, SampleMount mount = SampleMount.Root)
    {
        var (server, encrypted) = await column.Sample.StartAsync(apps.Authority, apps.Reach(column.Reach, mount), mount);
        return new MatrixSite(apps, column, server, encrypted);
    }

    public string Log() => _webServer.ErrorLog.ToString();

    /// <summary>For what may not happen here at all: long where it has to, short where it is known not to.</summary>
    public TimeSpan PatienceWith(string row) =>
        MatrixTests.Named(row).DifferenceOn(Column) is null ? Patience : TimeSpan.FromSeconds(0.5);

    /// <summary>The application is about to fail.</summary>
    public void ExpectError() => _apps.ExpectError(Column.Reach);

    /// <summary>An application of its own behind another web server of this column.</summary>
    public Task<RestartingSite> StartRestartingAsync() => RestartingSite.StartAsync(Column, _apps.Authority);

    /// <summary>Another web server of this column before the application, mounted elsewhere.</summary>
    public Task<MatrixSite> MountAsync(SampleMount mount) => StartAsync(_apps, Column, mount);

    public Task<RawHttpClient> ConnectAsync() => RawHttpClient.ConnectAsync(_webServer.EndPoint);

    public async Task<RawHttpClient> ConnectAsync(string request)
    {
        var client = await ConnectAsync();
        await client.SendAsync(request);
        return client;
    }

    /// <summary>One raw request on a connection of its own, and what the client got.</summary>
    public async Task<string> GotAsync(string request, Func<RawResponse, string> aspect)
    {
        try
        {
            await using var client = await ConnectAsync(request);
            return aspect(await client.ReadResponseAsync(request.StartsWith("HEAD ", StringComparison.Ordinal)));
        }
        catch (Exception e) when (e is IOException or SocketException)
        {
            return "no response";
        }
    }

    /// <summary>One raw request on a connection of its own, and what the application saw of it.</summary>
    public Task<string> SeenAsync(string request, Func<Seen, string?> aspect) => GotAsync(
        request,
        response => response.Status == StatusCodes.Status200OK
            ? aspect(Read(response)) ?? "none"
            : $"{response.Status}");

    public static Seen Read(RawResponse response) =>
        JsonSerializer.Deserialize<Seen>(response.Text, JsonSerializerOptions.Web)!;

    /// <summary>A client that names the site: Caddy serves no other where it asks for certificates.</summary>
    /// <param name="subject">Of the client's certificate; null for none.</param>
    public HttpClient CreateEncryptedClient(string? subject) =>
        _apps.Authority.CreateClient(_encrypted, subject is null ? null : _apps.Authority.Issue(subject));

    public ValueTask DisposeAsync()
    {
        Client.Dispose();
        return _webServer.DisposeAsync();
    }
}
