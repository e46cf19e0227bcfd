using System.Net.WebSockets;
using ChatSample.Rooms;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.Logging;

namespace FastCgi.SampleTests.Chat;

/// <summary>Program.cs as it is, its server replaced.</summary>
public sealed class ChatOnTestServer : IChatSite, IAsyncDisposable
{
    private readonly WebApplicationFactory<RoomSet> _factory = new WebApplicationFactory<RoomSet>()
        .WithWebHostBuilder(static webHost => webHost.ConfigureLogging(static logging => logging.ClearProviders()));

    public ChatOnTestServer() => Client = _factory.CreateClient();

    public HttpClient Client { get; }

    public Task<WebSocket> OpenAsync(CancellationToken cancellationToken) =>
        _factory.Server.CreateWebSocketClient().ConnectAsync(new Uri("ws://localhost/hub"), cancellationToken);

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _factory.DisposeAsync();
    }
}
