using System.Net.WebSockets;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.Gateway.Tests.Forwarding;

/// <summary>WebSockets through a mapped SCGI application, asked for in both ways of HTTP.</summary>
public sealed class UpgradeTests : ClientTest
{
    [Theory]
    [InlineData(HttpProtocols.Http1, "1.1")]
    [InlineData(HttpProtocols.Http2, "2.0")]
    public async Task Messages_go_both_ways(HttpProtocols protocols, string version)
    {
        await using var back = await StartEchoAsync();
        await using var front = await GatewayFront.StartAsync(
            application => application.MapFastCgi("/{**path}", back.Urls.Single()),
            protocols: protocols);
        using var socket = new ClientWebSocket();
        socket.Options.AddSubProtocol("echo");
        await ConnectAsync(socket, front, version).Within("an upgrade");
        Assert.Equal("echo", socket.SubProtocol);

        foreach (string text in (string[])["one", "two", new string('x', 100_000)])
        {
            await socket.SendAsync(
                Encoding.ASCII.GetBytes(text), WebSocketMessageType.Text, true, CancellationToken.None).Within("room");
            Assert.Equal(text, await ReceiveAsync(socket));
        }

        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "done", CancellationToken.None).Within("the end");
        Assert.Equal("done", socket.CloseStatusDescription);
    }

    /// <summary>Some clients declare an empty content, which is no reason to refuse them.</summary>
    [Theory]
    [InlineData("Content-Length: 0")]
    [InlineData("Content-Type: text/plain")]
    public async Task A_handshake_may_have_a_header_of_a_content(string header)
    {
        await using var back = await StartEchoAsync();
        await using var front = await GatewayFront.StartAsync(
            application => application.MapFastCgi("/{**path}", back.Urls.Single()));
        using var client = await RawHttp.ConnectAsync(front.Uri);
        await client.SendAsync(
            $"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n{header}\r\n" +
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        Assert.StartsWith("HTTP/1.1 101 ", await client.ReadToAsync("\r\n\r\n"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(HttpProtocols.Http1, "1.1", 418)]
    [InlineData(HttpProtocols.Http2, "2.0", 418)]
    [InlineData(HttpProtocols.Http2, "2.0", 200)]
    public async Task An_application_without_upgrades_refuses(HttpProtocols protocols, string version, int status)
    {
        await using var back = await GatewayBack.StartAsync(isScgi: false, context =>
        {
            context.Response.StatusCode = status;
            return Task.CompletedTask;
        });
        await using var front = await GatewayFront.StartAsync(
            application => application.MapFastCgi("/{**path}", back.Address),
            protocols: protocols);
        if (status == 200)
        {
            front.Logs.ExpectError(GatewayEvents.BadGateway);
        }

        using var socket = new ClientWebSocket();
        await Assert.ThrowsAsync<WebSocketException>(() => ConnectAsync(socket, front, version).Within("a refusal"));
        Assert.Equal((HttpStatusCode)(status == 200 ? 502 : status), socket.HttpStatusCode);
    }

    /// <summary>A client of HTTP/2 has no key, and cannot check the proof that belongs to the gateway's.</summary>
    [Fact]
    public async Task A_wrong_proof_is_no_upgrade()
    {
        await using var front = await StartAsync(HttpProtocols.Http2);
        front.Logs.ExpectError(GatewayEvents.BadGateway);
        using var socket = new ClientWebSocket();
        Task connecting = ConnectAsync(socket, front, "2.0");
        await (await Application.AcceptAsync()).SendAsync(
            "Status: 101\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: of another key\r\n\r\n"u8.ToArray());
        await Assert.ThrowsAsync<WebSocketException>(() => connecting.Within("a refusal"));
        Assert.Equal(HttpStatusCode.BadGateway, socket.HttpStatusCode);
    }

    [Fact]
    public async Task The_end_of_the_application_is_the_end_of_the_client()
    {
        await using var front = await StartAsync(HttpProtocols.Http1);
        using var client = await RawHttp.ConnectAsync(front.Uri);
        await client.SendAsync("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: talk\r\n\r\n");
        var connection = await Application.AcceptAsync();
        await connection.SendAsync("Status: 101\r\nUpgrade: talk\r\n\r\nbye"u8.ToArray());
        await client.ReadToAsync("bye");
        connection.Close();
        Assert.EndsWith("bye", await client.ReadToAsync(end: null), StringComparison.Ordinal);
    }

    /// <summary>An application that speaks SCGI, whose every byte the test writes.</summary>
    private Task<GatewayFront> StartAsync(HttpProtocols protocols) =>
        GatewayFront.StartAsync(
            web => web.MapFastCgi("/{**path}", "app", options => options.ConfigureHandler = handler =>
            {
                handler.Protocol = FastCgiEndpointProtocol.Scgi;
                handler.ConnectCallback = Application.ConnectAsync;
            }),
            protocols: protocols);

    private static async Task ConnectAsync(ClientWebSocket socket, GatewayFront front, string version)
    {
        socket.Options.HttpVersion = Version.Parse(version);
        socket.Options.HttpVersionPolicy = HttpVersionPolicy.RequestVersionExact;
        socket.Options.CollectHttpResponseDetails = true;
        using var invoker = new HttpMessageInvoker(new SocketsHttpHandler());
        var uri = new UriBuilder(front.Uri) { Scheme = "ws", Path = "/talk" }.Uri;
        await socket.ConnectAsync(uri, invoker, CancellationToken.None);
    }

    private static async Task<WebApplication> StartEchoAsync()
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseFastCgi(static server => server.Listen(
            IPAddress.Loopback, 0, static endpoint => endpoint.Protocol = FastCgiEndpointProtocol.Scgi));
        var application = builder.Build();
        application.UseWebSockets();
        application.Run(static async context =>
        {
            using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync("echo");
            while (await ReceiveAsync(socket) is { } text)
            {
                await socket.SendAsync(
                    Encoding.ASCII.GetBytes(text), WebSocketMessageType.Text, true, context.RequestAborted);
            }

            await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "done", context.RequestAborted);
        });
        await application.StartAsync().Within("the start of the application");
        return application;
    }

    /// <summary>A whole message; null: the other end closes.</summary>
    private static async Task<string?> ReceiveAsync(WebSocket socket)
    {
        var text = new StringBuilder();
        byte[] buffer = new byte[16 * 1024];
        while (true)
        {
            WebSocketReceiveResult result =
                await socket.ReceiveAsync(buffer, CancellationToken.None).Within("a message");
            if (result.MessageType == WebSocketMessageType.Close)
            {
                return null;
            }

            text.Append(Encoding.ASCII.GetString(buffer, 0, result.Count));
            if (result.EndOfMessage)
            {
                return text.ToString();
            }
        }
    }
}
