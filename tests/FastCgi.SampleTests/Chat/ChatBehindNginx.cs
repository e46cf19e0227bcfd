using System.Net.WebSockets;

namespace FastCgi.SampleTests.Chat;

/// <summary>The sample as a process behind nginx, which has the sample's own file: <c>scgi_pass</c>.</summary>
public sealed class ChatBehindNginx : IChatSite, IAsyncLifetime
{
    private SampleBehindNginx? _site;

    public HttpClient Client => _site!.Client;

    /// <summary>Where a browser finds it.</summary>
    public Uri Address => new($"http://{_site!.EndPoint}/");

    public async ValueTask InitializeAsync() => _site = await StartAsync();

    public Task<WebSocket> OpenAsync(CancellationToken cancellationToken) => OpenAsync(_site!, cancellationToken);

    public ValueTask DisposeAsync() => _site?.DisposeAsync() ?? ValueTask.CompletedTask;

    internal static Task<SampleBehindNginx> StartAsync() => SampleBehindNginx.StartAsync("Chat", scheme: "scgi");

    internal static async Task<WebSocket> OpenAsync(SampleBehindNginx site, CancellationToken cancellationToken)
    {
        var socket = new ClientWebSocket();
        try
        {
            socket.Options.Proxy = null;
            await socket.ConnectAsync(new Uri($"ws://{site.EndPoint}/hub"), cancellationToken);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
