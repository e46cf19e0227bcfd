namespace FastCgi.WebServerTests.WebSockets;

/// <summary>The browser's side: the platform's own WebSocket client, every await with a deadline.</summary>
internal sealed class SocketClient : IAsyncDisposable
{
    private static readonly TimeSpan _deadline = TimeSpan.FromSeconds(60);

    private readonly ClientWebSocket _socket = new();

    private SocketClient()
    {
    }

    public ClientWebSocket Socket => _socket;

    public static async Task<SocketClient> ConnectAsync(
        WebServer server, string path, Action<ClientWebSocketOptions>? configure = null)
    {
        var client = new SocketClient();
        configure?.Invoke(client._socket.Options);
        await client._socket.ConnectAsync(new Uri($"ws://{server.EndPoint}{path}"), CancellationToken.None)
            .Within($"a WebSocket at {path}", server.ErrorLog.ToString, _deadline);
        return client;
    }

    /// <summary>How a WebSocket at /ws is refused.</summary>
    public static async Task<HttpStatusCode> RefusalAsync(WebServer server)
    {
        using var socket = new ClientWebSocket();
        socket.Options.CollectHttpResponseDetails = true;
        await Assert.ThrowsAsync<WebSocketException>(
            () => socket.ConnectAsync(new Uri($"ws://{server.EndPoint}/ws"), CancellationToken.None)
                .Within("the refusal"));
        return socket.HttpStatusCode;
    }

    public Task SendAsync(
        ReadOnlyMemory<byte> content, WebSocketMessageType type = WebSocketMessageType.Binary) =>
        _socket.SendAsync(content, type, endOfMessage: true, CancellationToken.None).AsTask()
            .Within("a send", deadline: _deadline);

    public Task SendTextAsync(string text) => SendAsync(Encoding.UTF8.GetBytes(text), WebSocketMessageType.Text);

    /// <summary>A whole message, however it was cut; fails on a close.</summary>
    public async Task<(WebSocketMessageType Type, byte[] Content)> ReceiveAsync()
    {
        using var content = new MemoryStream();
        var buffer = new byte[64 * 1024];
        while (true)
        {
            var result = await ReceiveAsync(buffer);
            Assert.True(
                result.MessageType != WebSocketMessageType.Close,
                $"Instead of a message came a close: {_socket.CloseStatus} {_socket.CloseStatusDescription}");
            content.Write(buffer, 0, result.Count);
            if (result.EndOfMessage)
            {
                return (result.MessageType, content.ToArray());
            }
        }
    }

    public async Task<string> ReceiveTextAsync()
    {
        var (type, content) = await ReceiveAsync();
        Assert.Equal(WebSocketMessageType.Text, type);
        return Encoding.UTF8.GetString(content);
    }

    /// <summary>The server's close frame.</summary>
    public async Task<(WebSocketCloseStatus? Status, string? Description)> ReceiveCloseAsync()
    {
        Assert.Equal(WebSocketMessageType.Close, (await ReceiveAsync(new byte[1024])).MessageType);
        return (_socket.CloseStatus, _socket.CloseStatusDescription);
    }

    /// <summary>The connection ends without a close frame.</summary>
    public async Task ExpectLostAsync()
    {
        var lost = await Assert.ThrowsAsync<WebSocketException>(() => ReceiveAsync(new byte[1024]));
        Assert.Equal(WebSocketError.ConnectionClosedPrematurely, lost.WebSocketErrorCode);
    }

    /// <summary>The whole handshake of a close.</summary>
    public Task CloseAsync(WebSocketCloseStatus status = WebSocketCloseStatus.NormalClosure, string? text = null) =>
        _socket.CloseAsync(status, text, CancellationToken.None).Within("the close", deadline: _deadline);

    /// <summary>Leaves without a word where nobody has closed.</summary>
    public ValueTask DisposeAsync()
    {
        _socket.Dispose();
        return default;
    }

    private Task<WebSocketReceiveResult> ReceiveAsync(byte[] buffer) =>
        _socket.ReceiveAsync(new ArraySegment<byte>(buffer), CancellationToken.None)
            .Within("a message", deadline: _deadline);
}
