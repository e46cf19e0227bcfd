using System.Net.Http.Json;
using System.Text;
using System.Text.Json;

namespace FastCgi.WebServerTests.Framework;

/// <summary>SignalR's JSON protocol by hand: records that end in 0x1E, over transports without WebSocket.</summary>
public sealed class SignalRTests
{
    private const char End = '\x1e';
    private const string Handshake = "{\"protocol\":\"json\",\"version\":1}";
    private const string Invocation = "{\"type\":1,\"invocationId\":\"7\",\"target\":\"Add\",\"arguments\":[40,2]}";
    private const string Announcement = "{\"type\":1,\"target\":\"Announce\",\"arguments\":[\"hello\"]}";

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn)]
    public async Task No_WebSocket_is_offered_where_none_can_be(BackEndKind backEnd)
    {
        await using var site = await StartAsync(backEnd);
        var (_, transports) = await NegotiateAsync(site);
        Assert.Equal(["ServerSentEvents", "LongPolling"], transports);
    }

    /// <summary>The negotiation is an ordinary request, which asks for no upgrade itself.</summary>
    [Theory, BackEnds(BackEndKind.Scgi, BackEndKind.Kestrel)]
    public async Task WebSockets_are_offered_first_where_they_can_be(BackEndKind backEnd)
    {
        await using var site = await StartAsync(backEnd);
        var (_, transports) = await NegotiateAsync(site);
        Assert.Equal(["WebSockets", "ServerSentEvents", "LongPolling"], transports);
    }

    [Theory, BackEnds]
    public async Task Invocations_are_answered_by_server_sent_events(BackEndKind backEnd)
    {
        await using var site = await StartAsync(backEnd);
        var (id, _) = await NegotiateAsync(site);
        await using var events = await site.ConnectAsync();
        await events.SendAsync($"GET /hub?id={id} HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\n\r\n");
        var head = await events.ReadHeadAsync();
        Assert.Equal((200, "text/event-stream"), (head.Status, head.Value("Content-Type")));
        var body = events.ReadBody(head);

        await PostAsync(site, id, Handshake);
        Assert.Equal("{}", await NextEventAsync(body));
        await PostAsync(site, id, Invocation);
        AssertSum(await NextEventAsync(body));
        await PostAsync(site, id, Announcement);
        AssertAnnouncement(await NextEventAsync(body));
    }

    [Theory, BackEnds]
    public async Task Invocations_are_answered_by_long_polling(BackEndKind backEnd)
    {
        await using var site = await StartAsync(backEnd);
        var (id, _) = await NegotiateAsync(site);
        await using var polling = await site.ConnectAsync();

        // The first poll only opens the connection.
        Assert.Equal("", await PollAsync(polling, id));
        await PostAsync(site, id, Handshake);
        Assert.Equal("{}", await PollAsync(polling, id));
        await PostAsync(site, id, Invocation);
        AssertSum(await PollAsync(polling, id));
        await PostAsync(site, id, Announcement);
        AssertAnnouncement(await PollAsync(polling, id));

        using var deleted = await site.Client.DeleteAsync(new Uri($"hub?id={id}", UriKind.Relative)).Within("the end");
        Assert.Equal(202, (int)deleted.StatusCode);
    }

    /// <summary>A poll says nothing until a message comes: docs/websockets.md tells to raise the time.</summary>
    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task A_poll_without_a_message_is_a_504_when_nginx_waits_no_longer(BackEndKind backEnd)
    {
        var directive = backEnd == BackEndKind.Kestrel ? "proxy_read_timeout" : "fastcgi_read_timeout";
        await using var site = await StartAsync(backEnd, $"{directive} 2s;");
        var (id, _) = await NegotiateAsync(site);
        await using var polling = await site.ConnectAsync();
        Assert.Equal("", await PollAsync(polling, id));
        await PostAsync(site, id, Handshake);
        Assert.Equal("{}", await PollAsync(polling, id));

        await polling.SendAsync($"GET /hub?id={id} HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal(504, (await polling.ReadResponseAsync()).Status);
    }

    private static Task<Site> StartAsync(BackEndKind backEnd, string more = "") => Site.StartAsync(
        backEnd,
        app => app.MapHub<AdderHub>("/hub"),
        builder => builder.Services.AddSignalR(),
        new NginxSettings { BuffersResponses = backEnd != BackEndKind.Kestrel, More = more });

    private static async Task<(string Id, IReadOnlyList<string> Transports)> NegotiateAsync(Site site)
    {
        using var response = await site.Client
            .PostAsync(new Uri("hub/negotiate?negotiateVersion=1", UriKind.Relative), null).Within("the negotiation");
        var answer = await response.Content.ReadFromJsonAsync<JsonElement>().Within("its body");
        var transports = answer.GetProperty("availableTransports").EnumerateArray()
            .Select(transport => transport.GetProperty("transport").GetString()!);
        return (answer.GetProperty("connectionToken").GetString()!, [.. transports]);
    }

    private static async Task PostAsync(Site site, string id, string record)
    {
        using var content = new StringContent(record + End);
        using var response = await site.Client
            .PostAsync(new Uri($"hub?id={id}", UriKind.Relative), content).Within("the receipt of a record");
        Assert.Equal(200, (int)response.StatusCode);
    }

    private static async Task<string> PollAsync(RawHttpClient client, string id)
    {
        await client.SendAsync($"GET /hub?id={id} HTTP/1.1\r\nHost: h\r\n\r\n");
        var response = await client.ReadResponseAsync();
        Assert.Equal(200, response.Status);
        return response.Text.TrimEnd(End);
    }

    /// <returns>The data of the next event, comments left out.</returns>
    private static async Task<string> NextEventAsync(RawBodyReader body)
    {
        const string Data = "data: ";
        var text = new StringBuilder();
        while (true)
        {
            var piece = await body.ReadAsync();
            Assert.False(piece.IsEmpty, $"The events ended after '{text}'.");
            text.Append(Encoding.UTF8.GetString(piece.Span));
            var start = text.ToString().IndexOf(Data, StringComparison.Ordinal);
            if (start >= 0 && text.ToString().EndsWith("\r\n\r\n", StringComparison.Ordinal))
            {
                return text.ToString()[(start + Data.Length)..].TrimEnd('\r', '\n', End);
            }
        }
    }

    private static void AssertSum(string record)
    {
        using var json = JsonDocument.Parse(record);
        Assert.Equal("7", json.RootElement.GetProperty("invocationId").GetString());
        Assert.Equal(42, json.RootElement.GetProperty("result").GetInt32());
    }

    private static void AssertAnnouncement(string record)
    {
        using var json = JsonDocument.Parse(record);
        Assert.Equal("announced", json.RootElement.GetProperty("target").GetString());
        Assert.Equal("hello", json.RootElement.GetProperty("arguments")[0].GetString());
    }
}
