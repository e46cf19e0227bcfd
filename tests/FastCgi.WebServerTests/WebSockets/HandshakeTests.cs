namespace FastCgi.WebServerTests.WebSockets;

/// <summary>How a WebSocket begins, or does not.</summary>
public sealed class HandshakeTests
{
    [Fact]
    public async Task The_subprotocol_that_the_application_chose_is_the_clients()
    {
        await using var site = await SocketSite.StartAsync(
            SocketSite.EchoAsync, new WebSocketAcceptContext { SubProtocol = "second" });
        await using var client = await SocketClient.ConnectAsync(site.WebServer, "/ws", options =>
        {
            options.AddSubProtocol("first");
            options.AddSubProtocol("second");
        });

        Assert.Equal("second", client.Socket.SubProtocol);
        await client.CloseAsync();
    }

    [Fact]
    public async Task The_request_of_the_handshake_is_like_any_other()
    {
        await using var site = await SocketSite.StartAsync(async (context, socket) =>
        {
            var request = context.Request;
            var seen = $"{request.Method} {request.Path}{request.QueryString} {request.Headers["X-Mine"]} " +
                $"{request.Cookies["a"]} {request.Host.HasValue} {context.Connection.RemoteIpAddress}";
            await socket.SendAsync(
                System.Text.Encoding.UTF8.GetBytes(seen), WebSocketMessageType.Text, true, CancellationToken.None);
            await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
        });
        await using var client = await SocketClient.ConnectAsync(site.WebServer, "/ws?x=1", options =>
        {
            options.SetRequestHeader("X-Mine", "value");
            options.SetRequestHeader("Cookie", "a=b");
        });

        Assert.Equal("GET /ws?x=1 value b True 127.0.0.1", await client.ReceiveTextAsync());
        await client.CloseAsync();
    }

    [Fact]
    public async Task A_refusal_reaches_the_client_as_an_ordinary_answer()
    {
        await using var site = await Site.StartAsync(BackEndKind.Scgi, app =>
        {
            app.UseWebSockets();
            app.MapGet("/ws", (HttpContext context) =>
                context.WebSockets.IsWebSocketRequest ? Results.StatusCode(403) : Results.StatusCode(500));
        });

        Assert.Equal(HttpStatusCode.Forbidden, await SocketClient.RefusalAsync(site.WebServer));
    }

    [Theory]
    [InlineData(BackEndKind.FastCgi, "")]
    [InlineData(BackEndKind.Scgi, "False")]
    public async Task An_ordinary_request_cannot_be_upgraded(BackEndKind backEnd, string isUpgradable)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapGet("/", (HttpContext context) =>
                $"{context.Features.Get<IHttpUpgradeFeature>()?.IsUpgradableRequest} [{context.Request.Headers.Connection}]"));

        var response = await site.AskAsync("/", "Connection: keep-alive, x", "Upgrade: y");
        Assert.Equal((200, $"{isUpgradable} []"), (response.Status, response.Text));
    }

    [Fact]
    public async Task Behind_fastcgi_pass_a_WebSocket_is_refused_with_an_answer()
    {
        await using var site = await SocketSite.StartAsync(
            SocketSite.EchoAsync, accept: null, backEnd: BackEndKind.FastCgi);

        Assert.Equal(HttpStatusCode.BadRequest, await SocketClient.RefusalAsync(site.WebServer));
    }

    [Fact]
    public async Task Beyond_the_limit_an_upgrade_fails_and_pages_are_served_on()
    {
        await using var site = await SocketSite.StartAsync(
            SocketSite.EchoAsync,
            builder => builder.Configuration["FastCgi:Limits:MaxConcurrentUpgradedConnections"] = "1");
        site.Log.ExpectError(eventId: 13);
        await using (var first = await SocketClient.ConnectAsync(site.WebServer, "/ws"))
        {
            await Assert.ThrowsAsync<WebSocketException>(() => SocketClient.ConnectAsync(site.WebServer, "/ws"));
            Assert.Equal(200, (await site.AskAsync("/")).Status);
            await first.SendTextAsync("still there");
            Assert.Equal("still there", await first.ReceiveTextAsync());
            await first.CloseAsync();
        }
    }
}
