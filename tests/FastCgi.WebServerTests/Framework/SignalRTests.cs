using Microsoft.AspNetCore.SignalR;

namespace FastCgi.WebServerTests.Framework;

/// <summary>SignalR over transports without WebSocket.</summary>
public sealed class SignalRTests(SharedSite shared) : IClassFixture<SharedSite>
{
    private const string Invocation = "{\"type\":1,\"invocationId\":\"7\",\"target\":\"Add\",\"arguments\":[40,2]}";
    private const string Announcement = "{\"type\":1,\"target\":\"Announce\",\"arguments\":[\"hello\"]}";

    /// <summary>The negotiation is an ordinary request, which asks for no upgrade itself.</summary>
    [Theory, BackEnds]
    public async Task WebSockets_are_offered_first_where_they_can_be(BackEndKind backEnd)
    {
        var site = await StartAsync(backEnd);
        var hub = await HubClient.NegotiateAsync(site.Client);
        string[] first = backEnd is BackEndKind.Scgi or BackEndKind.Kestrel ? ["WebSockets"] : [];
        Assert.Equal([.. first, "ServerSentEvents", "LongPolling"], hub.Transports);
    }

    [Theory, BackEnds]
    public async Task Invocations_are_answered_by_server_sent_events(BackEndKind backEnd)
    {
        var site = await StartAsync(backEnd);
        var hub = await HubClient.NegotiateAsync(site.Client);
        await using var events = await site.ConnectAsync(
            $"GET /{hub.Target} HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\n\r\n");
        var head = await events.ReadHeadAsync();
        Assert.Equal((200, "text/event-stream"), (head.Status, head.Value("Content-Type")));
        var body = events.ReadBody(head);

        await hub.PostAsync(HubClient.Handshake);
        Assert.Equal("{}", await NextEventAsync(body));
        await hub.PostAsync(Invocation);
        AssertSum(await NextEventAsync(body));
        await hub.PostAsync(Announcement);
        AssertAnnouncement(await NextEventAsync(body));
    }

    [Theory, BackEnds]
    public async Task Invocations_are_answered_by_long_polling(BackEndKind backEnd)
    {
        var site = await StartAsync(backEnd);
        var hub = await HubClient.NegotiateAsync(site.Client);
        await hub.StartPollingAsync();
        await hub.PostAsync(Invocation);
        AssertSum(await hub.PollAsync());
        await hub.PostAsync(Announcement);
        AssertAnnouncement(await hub.PollAsync());

        using var deleted = await site.Client.DeleteAsync(hub.Target).Within("the end");
        Assert.Equal(202, (int)deleted.StatusCode);
    }

    /// <summary>A poll says nothing until a message comes: docs/websockets.md tells to raise the time.</summary>
    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task A_poll_without_a_message_is_a_504_when_nginx_waits_no_longer(BackEndKind backEnd)
    {
        var site = await StartAsync(backEnd, "fastcgi_read_timeout 2s;");
        var hub = await HubClient.NegotiateAsync(site.Client);
        await hub.StartPollingAsync();

        using var poll = await site.Client.GetAsync(hub.Target).Within("a poll");
        Assert.Equal(HttpStatusCode.GatewayTimeout, poll.StatusCode);
    }

    private Task<Site> StartAsync(BackEndKind backEnd, string more = "") => shared.StartedAsync(
        () => Site.StartAsync(
            backEnd,
            app => app.MapHub<AdderHub>("/hub"),
            builder => builder.Services.AddSignalR(),
            new NginxSettings { BuffersResponses = backEnd != BackEndKind.Kestrel, More = more }),
        (backEnd, more));

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
                return text.ToString()[(start + Data.Length)..].TrimEnd('\r', '\n', HubClient.End);
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

/// <summary>A hub that answers, and that calls the client.</summary>
internal sealed class AdderHub : Hub
{
    public int Add(int left, int right) => left + right;

    public async Task Announce(string text) => await Clients.All.SendAsync("announced", text);
}
