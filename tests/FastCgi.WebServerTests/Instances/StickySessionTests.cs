using FastCgi.WebServerTests.Framework;

namespace FastCgi.WebServerTests.Instances;

/// <summary>SignalR's long polling over two instances: lost without the documented lines, whole with them.</summary>
public sealed class StickySessionTests(SharedPair shared) : IClassFixture<SharedPair>
{
    private const int Visitors = 10;

    [Fact]
    public async Task Without_them_a_poll_meets_an_instance_that_does_not_know_the_connection()
    {
        var pair = shared.Pair;
        await using var nginx = await DocumentedSite.StartNginxAsync(pair);
        using var client = TestClient.Create(nginx.EndPoint, keepsCookies: true);

        var hub = await HubClient.NegotiateAsync(client);
        using var poll = await client.GetAsync(hub.Target).Within("a poll");

        Assert.Equal(HttpStatusCode.NotFound, poll.StatusCode);
    }

    [Theory]
    [InlineData("nginx")]
    [InlineData("HAProxy")]
    public async Task By_a_cookie_every_visitor_stays_with_an_instance(string program)
    {
        var pair = shared.Pair;
        await using var webServer = program == "nginx"
            ? await DocumentedSite.StartStickyNginxAsync(pair)
            : await DocumentedSite.StartStickyHaproxyAsync(pair);
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

    [Fact]
    public async Task By_its_address_a_visitor_stays_with_an_instance()
    {
        var pair = shared.Pair;
        await using var nginx = await DocumentedSite.StartNginxStickyByAddressAsync(pair);
        using var client = TestClient.Create(nginx.EndPoint);
        Assert.Contains(await TalkAsync(client), new[] { pair.First.Name, pair.Second.Name });
    }

    /// <returns>The instance that holds the connection, as it says over the connection.</returns>
    private static async Task<string> TalkAsync(HttpClient client)
    {
        var hub = await HubClient.NegotiateAsync(client);
        await hub.StartPollingAsync();
        await hub.PostAsync("{\"type\":1,\"invocationId\":\"7\",\"target\":\"Instance\",\"arguments\":[]}");
        using var answer = JsonDocument.Parse(await hub.PollAsync());
        return answer.RootElement.GetProperty("result").GetString()!;
    }
}
