namespace FastCgi.WebServerTests.WebSockets;

/// <summary>An application with WebSockets behind nginx with scgi_pass; its middleware knows nothing of that.</summary>
internal static class SocketSite
{
    /// <param name="serve">The application's own part, called with an accepted socket at <c>/ws</c>.</param>
    /// <param name="accept">How the socket is accepted; null for the defaults.</param>
    public static Task<Site> StartAsync(
        Func<HttpContext, WebSocket, Task> serve, WebSocketAcceptContext? accept = null) =>
        Site.StartAsync(BackEndKind.Scgi, app => Configure(app, serve, accept));

    public static void Configure(
        WebApplication app, Func<HttpContext, WebSocket, Task> serve, WebSocketAcceptContext? accept = null)
    {
        app.UseWebSockets();
        app.MapGet("/", () => "a page");
        app.Map("/ws", async (HttpContext context) =>
        {
            if (!context.WebSockets.IsWebSocketRequest)
            {
                context.Response.StatusCode = StatusCodes.Status400BadRequest;
                return;
            }

            using var socket = await context.WebSockets.AcceptWebSocketAsync(accept ?? new WebSocketAcceptContext());
            await serve(context, socket);
        });
    }

    /// <summary>Every frame goes back as it came, and so does the close.</summary>
    public static async Task EchoAsync(HttpContext context, WebSocket socket)
    {
        var buffer = new byte[16 * 1024];
        while (true)
        {
            var received = await socket.ReceiveAsync(new ArraySegment<byte>(buffer), context.RequestAborted);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                await socket.CloseOutputAsync(
                    socket.CloseStatus ?? WebSocketCloseStatus.Empty,
                    socket.CloseStatusDescription,
                    CancellationToken.None);
                return;
            }

            await socket.SendAsync(
                buffer.AsMemory(0, received.Count), received.MessageType, received.EndOfMessage, CancellationToken.None);
        }
    }
}
