using System.Net;
using System.Net.Http.Json;
using System.Text.Json;

namespace FastCgi.WebServerTests.Instances;

/// <summary>SignalR's long polling over two instances: lost without the documented lines, whole with them.</summary>
public sealed class StickySessionTests
{
    private const char End = '\x1e';
    private const int Visitors = 10;

    [Fact]
    public async Task Without_them_a_poll_meets_an_instance_that_does_not_know_the_connection()
    {
        await using var pair = await InstancePair.StartOnUnixSocketsAsync();
        await using var nginx = await DocumentedSite.StartNginxAsync(pair);
        using var client = TestClient.Create(nginx.EndPoint, keepsCookies: true);

        var id = await NegotiateAsync(client);
        using var poll = await client.GetAsync(At(id)).Within("a poll");

        Assert.Equal(HttpStatusCode.NotFound, poll.StatusCode);
    }

    [Fact]
    public async Task By_a_cookie_of_nginx_every_visitor_stays_with_an_instance()
    {
        await using var pair = await InstancePair.StartOnUnixSocketsAsync();
        await using var nginx = await DocumentedSite.StartStickyNginxAsync(pair);
        await AssertBothTalkAsync(pair, nginx);
    }

    [Fact]
    public async Task By_a_cookie_of_HAProxy_every_visitor_stays_with_an_instance()
    {
        await using var pair = await InstancePair.StartOnUnixSocketsAsync();
        await using var haproxy = await DocumentedSite.StartStickyHaproxyAsync(pair);
        await AssertBothTalkAsync(pair, haproxy);
    }

    [Fact]
    public async Task By_its_address_a_visitor_stays_with_an_instance()
    {
        await using var pair = await InstancePair.StartOnUnixSocketsAsync();
        await using var nginx = await DocumentedSite.StartNginxStickyByAddressAsync(pair);
        using var client = TestClient.Create(nginx.EndPoint);
        Assert.Contains(await TalkAsync(client), new[] { pair.First.Name, pair.Second.Name });
    }

    private static async Task AssertBothTalkAsync(InstancePair pair, WebServer webServer)
    {
        var seen = new HashSet<string>();

        // Which one a visitor gets is a matter of chance in nginx: with so many, hardly ever the same for all.
        for (var visitor = 0; visitor < Visitors || seen.Count < 2; visitor++)
        {
            Assert.True(visitor < 10 * Visitors, "All visitors got the same instance.");
            using var client = TestClient.Create(webServer.EndPoint, keepsCookies: true);
            seen.Add(await TalkAsync(client));
        }

        Assert.Equal(new[] { pair.First.Name, pair.Second.Name }.Order(), seen.Order());
    }

    /// <returns>The instance that holds the connection, as it says over the connection.</returns>
    private static async Task<string> TalkAsync(HttpClient client)
    {
        var id = await NegotiateAsync(client);

        // The first poll only opens the connection.
        Assert.Equal("", await PollAsync(client, id));
        await PostAsync(client, id, "{\"protocol\":\"json\",\"version\":1}");
        Assert.Equal("{}", await PollAsync(client, id));
        await PostAsync(client, id, "{\"type\":1,\"invocationId\":\"7\",\"target\":\"Instance\",\"arguments\":[]}");
        using var answer = JsonDocument.Parse(await PollAsync(client, id));
        return answer.RootElement.GetProperty("result").GetString()!;
    }

    private static async Task<string> NegotiateAsync(HttpClient client)
    {
        using var response = await client
            .PostAsync(new Uri("hub/negotiate?negotiateVersion=1", UriKind.Relative), null).Within("the negotiation");
        var answer = await response.Content.ReadFromJsonAsync<JsonElement>().Within("its body");
        return answer.GetProperty("connectionToken").GetString()!;
    }

    private static async Task PostAsync(HttpClient client, string id, string record)
    {
        using var content = new StringContent(record + End);
        using var response = await client.PostAsync(At(id), content).Within("the receipt of a record");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    private static async Task<string> PollAsync(HttpClient client, string id)
    {
        using var response = await client.GetAsync(At(id)).Within("a poll");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        return (await response.Content.ReadAsStringAsync()).TrimEnd(End);
    }

    private static Uri At(string id) => new($"hub?id={id}", UriKind.Relative);
}
