using ChatSample.Rooms;

namespace FastCgi.SampleTests.Chat;

/// <summary>The Chat sample, however it is served.</summary>
public interface IChatSite : ISampleSite
{
    /// <summary>Connects to the hub.</summary>
    Task<WebSocket> OpenAsync(CancellationToken cancellationToken);
}

/// <summary>Program.cs as it is, its server replaced.</summary>
public sealed class ChatOnTestServer() : InMemorySample<RoomSet>(overFastCgi: false), IChatSite
{
    public Task<WebSocket> OpenAsync(CancellationToken cancellationToken) =>
        Factory.Server.CreateWebSocketClient().ConnectAsync(new Uri("ws://localhost/hub"), cancellationToken);
}

/// <summary>The sample as a process behind nginx, which has the sample's own file: <c>scgi_pass</c>.</summary>
public sealed class ChatBehindNginx : ServedSample, IChatSite
{
    public Task<WebSocket> OpenAsync(CancellationToken cancellationToken) => OpenAsync(Site, cancellationToken);

    internal static Task<ProcessSite> StartAsync() => SampleProgram.StartBehindNginxAsync("Chat", scheme: "scgi");

    internal static async Task<WebSocket> OpenAsync(ProcessSite site, CancellationToken cancellationToken)
    {
        var socket = new ClientWebSocket { Options = { Proxy = null } };
        return await socket.StartedAsync(
            socket => socket.ConnectAsync(new Uri($"ws://{site.EndPoint}/hub"), cancellationToken));
    }

    private protected override Task<ProcessSite> StartAsync(string data) => StartAsync();
}

public sealed class ChatOnTestServerTests(ChatOnTestServer site) : ChatTests(site), IClassFixture<ChatOnTestServer>;
