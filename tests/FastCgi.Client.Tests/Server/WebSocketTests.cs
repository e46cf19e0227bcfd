using System.Net.WebSockets;

namespace FastCgi.Client.Tests.Server;

/// <summary>ClientWebSocket goes through the handler, over both protocols.</summary>
public sealed class WebSocketTests
{
    public static MatrixTheoryData<ServerTransport, bool> Ends => RoundTripTests.Ends;

    [Theory]
    [MemberData(nameof(Ends))]
    public async Task A_web_socket_carries_messages_both_ways(ServerTransport transport, bool isScgi)
    {
        await using var server = await StartAsync(transport, isScgi);
        using var invoker = new HttpMessageInvoker(new FastCgiHandler(server.Address));
        using var socket = new ClientWebSocket();
        await socket.ConnectAsync(new Uri("ws://localhost/chat"), invoker, default).Within("a web socket");
        byte[] buffer = new byte[100_000];
        foreach (int size in (int[])[1, 100, 70_000])
        {
            byte[] message = Encoding.ASCII.GetBytes(new string('m', size));
            await socket.SendAsync(message, WebSocketMessageType.Binary, endOfMessage: true, default).Within("a send");
            int received = 0;
            while (received < size)
            {
                var result = await socket.ReceiveAsync(buffer.AsMemory(received), default).AsTask().Within("an echo");
                received += result.Count;
            }

            Assert.Equal(message, buffer.AsSpan(0, received));
        }

        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "bye", default).Within("the close");
        Assert.Equal(WebSocketCloseStatus.NormalClosure, socket.CloseStatus);
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public async Task A_request_that_is_not_upgraded_has_its_answer(ServerTransport transport, bool isScgi)
    {
        await using var server = await StartAsync(transport, isScgi);
        using var client = new HttpClient(new FastCgiHandler(server.Address))
        {
            BaseAddress = new Uri("http://localhost/"),
            Timeout = Deadline.Default,
        };
        for (int i = 0; i < 2; i++)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, "/plain");
            request.Headers.Connection.Add("Upgrade");
            request.Headers.Upgrade.ParseAdd("other");
            using var response = await client.SendAsync(request).Within("a response");
            Assert.Equal("Upgrade other", await response.Content.ReadAsStringAsync());
        }
    }

    private static Task<FunctionalServer> StartAsync(ServerTransport transport, bool isScgi) =>
        FunctionalServer.StartAsync(
            transport,
            static async context =>
            {
                var feature = context.Features.Get<Microsoft.AspNetCore.Http.Features.IHttpUpgradeFeature>()!;
                if (context.Request.Path == "/plain")
                {
                    await context.Request.Body.CopyToAsync(Stream.Null);
                    await context.Response.WriteAsync(
                        $"{context.Request.Headers.Connection} {context.Request.Headers.Upgrade}");
                    return;
                }

                context.Response.Headers.Upgrade = "websocket";
                context.Response.Headers.Connection = "Upgrade";
                context.Response.Headers.SecWebSocketAccept = Accept(context.Request.Headers.SecWebSocketKey!);
                await using Stream stream = await feature.UpgradeAsync();
                using var socket = WebSocket.CreateFromStream(stream, new WebSocketCreationOptions { IsServer = true });
                await EchoAsync(socket);
            },
            options => options.ConfigureEndpointDefaults(endpoint =>
            {
                endpoint.Protocol = isScgi ? FastCgiEndpointProtocol.Scgi : FastCgiEndpointProtocol.FastCgi;
                endpoint.AllowUpgrade = true;
            }));

    private static async Task EchoAsync(WebSocket socket)
    {
        byte[] buffer = new byte[4096];
        while (true)
        {
            var result = await socket.ReceiveAsync(buffer, default);
            if (result.MessageType == WebSocketMessageType.Close)
            {
                await socket.CloseAsync(result.CloseStatus!.Value, "bye", default);
                return;
            }

            await socket.SendAsync(
                buffer.AsMemory(0, result.Count), result.MessageType, result.EndOfMessage, default);
        }
    }

    /// <summary>RFC 6455, section 4.2.2.</summary>
    private static string Accept(string key) => Convert.ToBase64String(
#pragma warning disable CA5350 // The protocol asks for SHA-1.
        System.Security.Cryptography.SHA1.HashData(
            Encoding.ASCII.GetBytes(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")));
#pragma warning restore CA5350
}
