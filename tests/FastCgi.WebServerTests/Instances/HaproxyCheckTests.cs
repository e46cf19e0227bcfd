namespace FastCgi.WebServerTests.Instances;

/// <summary>HAProxy's health checks: they reach the server, find a dead instance, and find it again.</summary>
public sealed class HaproxyCheckTests(SharedPair shared) : IClassFixture<SharedPair>
{
    private static readonly Uri _root = new("", UriKind.Relative);

    [Fact]
    public Task GET_VALUES_takes_a_dead_instance_out_and_in_again() =>
        TakeOutAndInAsync(shared.Pair, DocumentedSite.StartHaproxyAsync);

    [Fact]
    public async Task The_same_holds_for_TCP()
    {
        await using var pair = await InstancePair.StartOnTcpAsync();
        await TakeOutAndInAsync(pair, DocumentedSite.StartHaproxyAsync);
    }

    [Fact]
    public Task A_request_takes_a_dead_instance_out_and_in_again() => TakeOutAndInAsync(
        shared.Pair, static pair => DocumentedSite.StartHaproxyThatAsksTheApplicationAsync(pair, "/"));

    /// <summary>The check is a conversation and not a mere connection.</summary>
    [Fact]
    public async Task A_check_that_the_application_does_not_pass_takes_the_instance_out()
    {
        await using var haproxy =
            await DocumentedSite.StartHaproxyThatAsksTheApplicationAsync(shared.Pair, "/missing");
        await haproxy.ErrorLog.WaitForAsync("backend 'app' has no server available");
    }

    private static async Task TakeOutAndInAsync(InstancePair pair, Func<InstancePair, Task<WebServer>> start)
    {
        await using var haproxy = await start(pair);
        using var client = TestClient.Create(haproxy.EndPoint);
        Assert.Equal([pair.First.Name, pair.Second.Name], await AnsweringAsync(client));

        await pair.Second.KillAsync();
        await haproxy.ErrorLog.WaitForAsync("Server app/app2 is DOWN");
        Assert.Equal([pair.First.Name], await AnsweringAsync(client));

        await pair.Second.StartAsync();
        await haproxy.ErrorLog.WaitForAsync("Server app/app2 is UP");
        Assert.Equal([pair.First.Name, pair.Second.Name], await AnsweringAsync(client));

        Assert.DoesNotContain("Server app/app1 is DOWN", haproxy.ErrorLog.ToString(), StringComparison.Ordinal);
        foreach (var instance in new[] { pair.First, pair.Second })
        {
            Assert.DoesNotContain(instance.Log.Lines, static line =>
                line.StartsWith("warn:", StringComparison.Ordinal) || line.StartsWith("fail:", StringComparison.Ordinal));
        }
    }

    /// <summary>Who answers ten requests, all of which are answered.</summary>
    private static async Task<IEnumerable<string>> AnsweringAsync(HttpClient client)
    {
        var names = new SortedSet<string>();
        for (var i = 0; i < 10; i++)
        {
            names.Add(await client.GetStringAsync(_root).Within("an answer"));
        }

        return names;
    }
}
