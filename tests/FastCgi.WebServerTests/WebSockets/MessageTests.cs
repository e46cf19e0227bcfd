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
