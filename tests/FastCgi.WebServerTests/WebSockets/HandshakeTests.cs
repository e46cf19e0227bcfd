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
}
