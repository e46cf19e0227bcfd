using FastCgi.WebServerKit.Network;
using FastCgi.WebServerTests.Instances;

namespace FastCgi.WebServerTests.Machines;

/// <summary>nginx on one machine and the application on two others, under load, as docs/scaling.md has it.</summary>
[Trait("Category", "Slow")]
public sealed class NginxHostsTests(ITestOutputHelper output)
{
    private const int Clients = 16;
    private const int Share = 200;
    private const string First = "server 10.0.0.11:9000 max_fails=1 fail_timeout=2s;";
    private const string Second = "server 10.0.0.12:9000 max_fails=1 fail_timeout=2s;";

    private static readonly TimeSpan _step = TimeSpan.FromMinutes(2);

    [Fact]
    public async Task A_host_is_added_and_another_drained_without_a_lost_request()
    {
        await using var hosts = await ApplicationHosts.StartFirstAsync();
        await using var nginx = await StartAsync(hosts, static site => With(site, Second, ""));
        using var client = nginx.CreateClient();
        var clients = new OrderingClients(client, Clients);
        await clients.AnsweredByAsync(hosts.First, Share).Within("a share of the load", hosts.ToString, _step);

        await hosts.Second.StartAsync();
        await nginx.ReloadNginxAsync();
        await clients.AnsweredByAsync(hosts.Second, Share).Within("the new host's share", hosts.ToString, _step);

        await nginx.ReloadNginxAsync(static site => With(site, First, "server 10.0.0.11:9000 down;"));
        await hosts.First.StopAsync();
        await clients.AnsweredByAsync(hosts.Second, Share).Within("the other's answers", hosts.ToString, _step);
        await hosts.First.StartAsync();
        await nginx.ReloadNginxAsync();
        await clients.AnsweredByAsync(hosts.First, Share).Within("its return", hosts.ToString, _step);

        await clients.StopAsync().Within("the last answers");
        output.WriteLine($"{clients.ConfirmedOrders.Count} orders and as many questions; lost: " +
            $"{clients.FailedOrders.Count + clients.FailedQuestions.Count}.");
        Assert.Empty(clients.FailedQuestions);
        Assert.Empty(clients.FailedOrders);
        clients.AssertNoneTwiceOrUnnoticed(hosts.Orders);
    }

    [Fact]
    public async Task A_host_that_dies_loses_the_orders_that_it_had_and_no_question()
    {
        await using var hosts = await ApplicationHosts.StartAsync();
        await using var nginx = await StartAsync(hosts);
        using var client = nginx.CreateClient();
        var clients = new OrderingClients(client, Clients);

        await clients.AnsweredByAsync(hosts.Second, Share).Within("a share of the load", hosts.ToString, _step);
        await hosts.Second.KillAsync();
        await clients.AnsweredByAsync(hosts.First, Share).Within("the other's answers", hosts.ToString, _step);
        var byKill = clients.FailedOrders.Count;
        Assert.InRange(byKill, 0, Clients);

        await hosts.Second.StartAsync();
        await clients.AnsweredByAsync(hosts.Second, Share).Within("its return", hosts.ToString, _step);
        await hosts.SecondHost.UnplugAsync();
        // Each client waits for the host until fastcgi_read_timeout, and goes on.
        await clients.EachOnAsync(Clients).Within("the end of all waiting", hosts.ToString, _step);
        await hosts.SecondHost.PlugInAsync();
        await clients.AnsweredByAsync(hosts.Second, Share).Within("its return", hosts.ToString, _step);

        await clients.StopAsync().Within("the last answers", deadline: _step);
        var byCable = clients.FailedOrders.Count - byKill;
        output.WriteLine($"{clients.ConfirmedOrders.Count} orders and as many questions; lost by a killed process: " +
            $"{byKill} orders, by a pulled cable: {byCable}; questions: {clients.FailedQuestions.Count}.");
        Assert.Empty(clients.FailedQuestions);
        // What each client had there; and what an idle connection took that nginx still kept to the host.
        Assert.InRange(byCable, 0, 2 * Clients);
        Assert.All(clients.FailedOrders, static order => Assert.Contains(order.Failure, new[] { "502", "504" }));
        clients.AssertNoneTwiceOrUnnoticed(hosts.Orders);
    }

    private static Task<MachineWebServer> StartAsync(ApplicationHosts hosts, Func<string, string>? change = null) =>
        MachineWebServer.StartAsync(hosts.WebHost, new NginxServer(), ScalingPage.Nginx, change);

    private static string With(string site, string line, string other)
    {
        Assert.Contains(line, site, StringComparison.Ordinal);
        return site.Replace(line, other, StringComparison.Ordinal);
    }
}
