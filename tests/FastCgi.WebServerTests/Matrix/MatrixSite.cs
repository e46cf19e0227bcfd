using System.Net.Sockets;
using System.Text.Json;
using FastCgi.MatrixApp;
using FastCgi.WebServerKit.Samples;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>The application behind the web server of one column.</summary>
internal sealed class MatrixSite : IAsyncDisposable
{
    /// <summary>The outcome where a connection ends before the head of a response.</summary>
    public const string NoResponse = "no response";

    private readonly MatrixApps _apps;
    private readonly SampleSite _webServer;

    private MatrixSite(MatrixApps apps, MatrixColumn column, SampleSite webServer)
    {
        _apps = apps;
        _webServer = webServer;
        Column = column;
        Client = TestClient.Create(webServer.Plain);
    }

    /// <summary>For what has to happen.</summary>
    public static TimeSpan Patience { get; } = TimeSpan.FromSeconds(30);

    public MatrixColumn Column { get; }

    public HttpClient Client { get; }

    public static async Task<MatrixSite> StartAsync(
        MatrixApps apps, MatrixColumn column, SampleMount mount = SampleMount.Root) =>
        new(
            apps,
            column,
            await SampleSite.StartAsync(column.Sample, apps.Authority, apps.Reach(column.Reach, mount), mount));

    public Uri WebSocketUri => new($"ws://{_webServer.Plain}/ws");

    /// <summary>What the web server wrote.</summary>
    public string Log() => _webServer.ErrorLog.ToString();

    /// <summary>For what may not happen here at all: long where it has to, short where it is known not to.</summary>
    public TimeSpan PatienceWith(string row) =>
        MatrixRows.Named(row).DifferenceOn(Column) is null ? Patience : TimeSpan.FromSeconds(0.5);

    /// <summary>The application is about to fail.</summary>
    public void ExpectError() => _apps.ExpectError(Column.Reach);

    /// <summary>An application of its own behind another web server of this column.</summary>
    public Task<RestartingSite> StartRestartingAsync() => RestartingSite.StartAsync(Column, _apps.Authority);

    /// <summary>Another web server of this column before the application, mounted elsewhere.</summary>
    public Task<MatrixSite> MountAsync(SampleMount mount) => StartAsync(_apps, Column, mount);

    public Task<RawHttpClient> ConnectAsync() => RawHttpClient.ConnectAsync(_webServer.Plain);

    /// <summary>One raw request on a connection of its own, and what the client got.</summary>
    public async Task<string> GotAsync(string request, Func<RawResponse, string> aspect)
    {
        try
        {
            await using var client = await ConnectAsync();
            await client.SendAsync(request);
            return aspect(await client.ReadResponseAsync(request.StartsWith("HEAD ", StringComparison.Ordinal)));
        }
        catch (Exception e) when (e is IOException or SocketException)
        {
            return NoResponse;
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
    public HttpClient CreateEncryptedClient(string? subject)
    {
        var certificate = subject is null ? null : _apps.Authority.Issue(subject);
        return _apps.Authority.CreateClient(_webServer.Encrypted, certificate);
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _webServer.DisposeAsync();
    }
}
