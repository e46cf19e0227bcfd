using System.Diagnostics;

namespace FastCgi.WebServerTests.Instances;

/// <summary>
/// Two instances behind nginx's upstream, under load: both are restarted one after the other, or one is killed.
/// </summary>
[Trait("Category", "Slow")]
public sealed class NginxUpstreamTests(ITestOutputHelper output)
{
    private const int Clients = 16;
    private const int Share = 200;

    // As docs/instances.md has it for instances on other machines.
    private const int FailTimeoutSeconds = 2;

    private static readonly TimeSpan _step = TimeSpan.FromMinutes(2);

    [Theory, InlineData(true), InlineData(false)]
    public async Task A_rolling_restart_fails_no_request_by_unix_sockets_and_hardly_any_by_TCP(bool isLocal)
    {
        await using var pair = await StartAsync(isLocal);
        await using var nginx = await StartNginxAsync(pair, isLocal);
        using var client = TestClient.Create(nginx.EndPoint);
        var clients = new OrderingClients(client, Clients);
        var rounds = Rounds(isLocal);

        for (var round = 0; round < rounds; round++)
        {
            foreach (var instance in new[] { pair.First, pair.Second })
            {
                await clients.AnsweredByAsync(instance, Share).Within("a share of the load", pair.ToString, _step);
                var clock = Stopwatch.StartNew();
                await instance.StopAsync();
                output.WriteLine($"{instance.Name} stopped in {clock.Elapsed.TotalSeconds:F2} s.");
                await instance.StartAsync();
                if (!isLocal)
                {
                    await UsedAgainAsync(clients, instance).Within("its return", pair.ToString, _step);
                }
            }
        }

        await clients.StopAsync().Within("the last answers");
        output.WriteLine($"{clients.ConfirmedOrders.Count} orders, {clients.FailedOrders.Count} failed.");
        Assert.Empty(clients.FailedQuestions);
        // On TCP a POST may meet the close of its connection, seldom; what nginx makes of it is in the output then.
        output.WriteLine(clients.FailedOrders.IsEmpty ? "" : $"{nginx.ErrorLog}");
        Assert.InRange(clients.FailedOrders.Count, 0, isLocal ? 0 : rounds);
        AssertNoneTwiceOrUnnoticed(clients, pair);
    }

    [Theory, InlineData(true), InlineData(false)]
    public async Task A_killed_instance_fails_no_question_and_no_order_is_executed_twice(bool isLocal)
    {
        await using var pair = await StartAsync(isLocal);
        await using var nginx = await StartNginxAsync(pair, isLocal);
        using var client = TestClient.Create(nginx.EndPoint);
        var clients = new OrderingClients(client, Clients);
        var rounds = Rounds(isLocal);

        for (var round = 0; round < rounds; round++)
        {
            await clients.AnsweredByAsync(pair.Second, Share).Within("a share of the load", pair.ToString, _step);
            await pair.Second.KillAsync();
            await clients.AnsweredByAsync(pair.First, Share).Within("the other one's answers", pair.ToString, _step);
            await pair.Second.StartAsync();
        }

        await clients.AnsweredByAsync(pair.Second, Share).Within("its return", pair.ToString, _step);
        await clients.StopAsync().Within("the last answers");

        Assert.Empty(clients.FailedQuestions);
        // Those that the killed process had, which are lost, and nothing else.
        Assert.InRange(clients.FailedOrders.Count, 0, rounds * Clients);
        AssertNoneTwiceOrUnnoticed(clients, pair);
        output.WriteLine($"{clients.ConfirmedOrders.Count} orders, {clients.FailedOrders.Count} lost by {rounds} kills.");
    }

    /// <summary>By TCP each round waits for nginx' fail_timeout, twice.</summary>
    private static int Rounds(bool isLocal) => isLocal ? 3 : 1;

    /// <summary>
    /// Completes when nginx uses a restarted instance again. nginx compares whole seconds, so it leaves the instance
    /// alone for up to one second more than <c>fail_timeout</c>. Then it sends one request, and no other before the
    /// answer. Earlier answers prove nothing: a connection that began before the stop may reach the new process. A
    /// client has one request at a time, so one answer more than there are clients belongs to a request that nginx sent
    /// after its pause.
    /// </summary>
    private static async Task UsedAgainAsync(OrderingClients clients, Instance restarted)
    {
        await clients.NginxTimeAsync(FailTimeoutSeconds + 1);
        await clients.AnsweredByAsync(restarted, Clients + 1);
    }

    /// <summary>Whoever lost an order was told so.</summary>
    private static void AssertNoneTwiceOrUnnoticed(OrderingClients clients, InstancePair pair)
    {
        Assert.All(clients.FailedOrders, static order => Assert.Equal("502", order.Failure));
        clients.AssertNoneTwiceOrUnnoticed(pair.Orders);
    }

    private static Task<InstancePair> StartAsync(bool isLocal) =>
        isLocal ? InstancePair.StartOnUnixSocketsAsync() : InstancePair.StartOnTcpAsync();

    private static Task<WebServer> StartNginxAsync(InstancePair pair, bool isLocal) => isLocal
        ? DocumentedSite.StartNginxAsync(pair)
        : DocumentedSite.StartNginxForOtherMachinesAsync(pair);
}
