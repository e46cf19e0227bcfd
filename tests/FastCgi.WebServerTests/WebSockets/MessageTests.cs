namespace FastCgi.WebServerTests.WebSockets;

/// <summary>What goes through an open WebSocket, by nginx with scgi_pass.</summary>
public sealed class MessageTests
{
    private const int Sockets = 100;
    private const int Messages = 20;

    [Fact]
    public async Task Text_and_binary_messages_of_every_size_come_back()
    {
        await using var site = await SocketSite.StartAsync(SocketSite.EchoAsync);
        await using var client = await SocketClient.ConnectAsync(site.WebServer, "/ws");

        // The sizes at which a frame's length is written otherwise, and what is larger than every buffer on the way.
        foreach (var size in (int[])[0, 1, 125, 126, 127, 4096, 65_535, 65_536, 300_000, 10_000_000])
        {
            var content = RandomNumberGenerator.GetBytes(size);

            // At the same time: neither side can keep ten megabytes that the other does not read.
            var sending = client.SendAsync(content);
            Assert.Equal((WebSocketMessageType.Binary, Hash(content)), Summary(await client.ReceiveAsync()));
            await sending;
        }

        await client.SendTextAsync("Grüße, 世界");
        Assert.Equal("Grüße, 世界", await client.ReceiveTextAsync());
        await client.CloseAsync();
    }

    [Fact]
    public async Task A_message_in_fragments_arrives_as_one()
    {
        await using var site = await SocketSite.StartAsync(async (context, socket) =>
        {
            var whole = new StringBuilder();
            var buffer = new byte[100];
            WebSocketReceiveResult part;
            do
            {
                part = await socket.ReceiveAsync(new ArraySegment<byte>(buffer), context.RequestAborted);
                whole.Append(Encoding.UTF8.GetString(buffer, 0, part.Count)).Append(part.EndOfMessage ? '.' : ',');
            }
            while (!part.EndOfMessage);
            await socket.SendAsync(
                Encoding.UTF8.GetBytes(whole.ToString()), WebSocketMessageType.Text, true, CancellationToken.None);
            await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
        });
        await using var client = await SocketClient.ConnectAsync(site.WebServer, "/ws");

        await client.SendTextAsync("one", isEnd: false);
        await client.SendTextAsync("two", isEnd: false);
        await client.SendTextAsync("three", isEnd: true);

        Assert.Equal("one,two,three.", await client.ReceiveTextAsync());
        await client.CloseAsync();
    }

    [Fact]
    public async Task The_server_speaks_first_and_as_often_as_it_likes()
    {
        await using var site = await SocketSite.StartAsync(async (_, socket) =>
        {
            for (var i = 0; i < 1000; i++)
            {
                await socket.SendAsync(
                    Encoding.UTF8.GetBytes($"{i}"), WebSocketMessageType.Text, true, CancellationToken.None);
            }

            await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
        });
        await using var client = await SocketClient.ConnectAsync(site.WebServer, "/ws");

        for (var i = 0; i < 1000; i++)
        {
            Assert.Equal($"{i}", await client.ReceiveTextAsync());
        }

        await client.CloseAsync();
    }

    [Fact]
    public async Task Both_directions_flow_at_the_same_time()
    {
        const int Size = 20_000_000;
        var sent = RandomNumberGenerator.GetBytes(Size);
        await using var site = await SocketSite.StartAsync(async (context, socket) =>
        {
            var sending = socket.SendAsync(sent, WebSocketMessageType.Binary, true, CancellationToken.None);
            using var received = new MemoryStream();
            var buffer = new byte[64 * 1024];
            WebSocketReceiveResult part;
            do
            {
                part = await socket.ReceiveAsync(new ArraySegment<byte>(buffer), context.RequestAborted);
                received.Write(buffer, 0, part.Count);
            }
            while (!part.EndOfMessage);
            await sending;
            await socket.SendAsync(
                Encoding.UTF8.GetBytes(Hash(received.ToArray())), WebSocketMessageType.Text, true, CancellationToken.None);
            await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
        });
        await using var client = await SocketClient.ConnectAsync(site.WebServer, "/ws");

        var upload = RandomNumberGenerator.GetBytes(Size);
        var sending = client.SendAsync(upload);
        Assert.Equal((WebSocketMessageType.Binary, Hash(sent)), Summary(await client.ReceiveAsync()));
        await sending;
        Assert.Equal(Hash(upload), await client.ReceiveTextAsync());
        await client.CloseAsync();
    }

    [Fact]
    public async Task Many_sockets_keep_their_messages_apart()
    {
        await using var site = await SocketSite.StartAsync(SocketSite.EchoAsync);
        await Task.WhenAll(Enumerable.Range(0, Sockets).Select(async number =>
        {
            await using var client = await SocketClient.ConnectAsync(site.WebServer, "/ws");
            for (var message = 0; message < Messages; message++)
            {
                await client.SendTextAsync($"{number}/{message}");
                Assert.Equal($"{number}/{message}", await client.ReceiveTextAsync());
            }

            await client.CloseAsync();
        }));
    }

    [Fact]
    public async Task Messages_are_compressed_where_both_sides_want_it()
    {
        await using var site = await SocketSite.StartAsync(
            SocketSite.EchoAsync, new WebSocketAcceptContext { DangerousEnableCompression = true });
        await using var client = await SocketClient.ConnectAsync(
            site.WebServer, "/ws", options => options.DangerousDeflateOptions = new WebSocketDeflateOptions());

        var text = new string('a', 100_000);
        await client.SendTextAsync(text);
        Assert.Equal(text, await client.ReceiveTextAsync());
        await client.CloseAsync();
    }

    private static (WebSocketMessageType Type, string Hash) Summary((WebSocketMessageType Type, byte[] Content) message) =>
        (message.Type, Hash(message.Content));

    private static string Hash(byte[] content) => $"{content.Length} {Convert.ToHexString(SHA256.HashData(content))}";
}
