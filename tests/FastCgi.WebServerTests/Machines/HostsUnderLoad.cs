using FastCgi.WebServerKit.Network;
using FastCgi.WebServerTests.Instances;

namespace FastCgi.WebServerTests.Machines;

/// <summary>A web server on one machine and the application on two others, under load, as docs/instances.md has it.</summary>
[Trait("Category", "Slow")]
public abstract class HostsUnderLoad(ITestOutputHelper output)
{
    protected const int Clients = 16;
    private const int Share = 200;

    private static readonly TimeSpan _step = TimeSpan.FromMinutes(2);

    [Fact]
    public async Task A_host_is_added_and_another_drained_without_a_lost_request()
    {
        await using var hosts = await ApplicationHosts.StartFirstAsync();
        await using var webServer = await StartWithFirstAsync(hosts);
        using var client = webServer.CreateClient();
        var clients = new OrderingClients(client, Clients);
        await clients.AnsweredByAsync(hosts.First, Share).Within("a share of the load", hosts.ToString, _step);

        await hosts.Second.StartAsync();
        await AddSecondAsync(webServer);
        await clients.AnsweredByAsync(hosts.Second, Share).Within("the new host's share", hosts.ToString, _step);

        await DrainFirstAsync(webServer).Within("the end of its requests", hosts.ToString, _step);
        await hosts.First.StopAsync();
        await clients.AnsweredByAsync(hosts.Second, Share).Within("the other's answers", hosts.ToString, _step);
        await hosts.First.StartAsync();
        await ReturnFirstAsync(webServer);
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
        await using var webServer = await StartAsync(hosts);
        using var client = webServer.CreateClient();
        var clients = new OrderingClients(client, Clients);

        await clients.AnsweredByAsync(hosts.Second, Share).Within("a share of the load", hosts.ToString, _step);
        await hosts.Second.KillAsync();
        await OnSecondKilledAsync(webServer);
        await clients.AnsweredByAsync(hosts.First, Share).Within("the other's answers", hosts.ToString, _step);
        var byKill = clients.FailedOrders.Count;
        Assert.InRange(byKill, 0, Clients);

        await hosts.Second.StartAsync();
        await clients.AnsweredByAsync(hosts.Second, Share).Within("its return", hosts.ToString, _step);
        await hosts.SecondHost.UnplugAsync();
        // Each client waits for the host once at most, and goes on when the web server's time is over.
        await clients.EachOnAsync(Clients).Within("the end of all waiting", hosts.ToString, _step);
        await hosts.SecondHost.PlugInAsync();
        await clients.AnsweredByAsync(hosts.Second, Share).Within("its return", hosts.ToString, _step);

        await clients.StopAsync().Within("the last answers", deadline: _step);
        var byCable = clients.FailedOrders.Count - byKill;
        output.WriteLine($"{clients.ConfirmedOrders.Count} orders and as many questions; lost by a killed process: " +
            $"{byKill} orders, by a pulled cable: {byCable}; questions: {clients.FailedQuestions.Count}.");
        Assert.Empty(clients.FailedQuestions);
        // What each client had there; and what an idle connection took that the web server still kept to the host.
        Assert.InRange(byCable, 0, 2 * Clients);
        AssertLost(clients);
        clients.AssertNoneTwiceOrUnnoticed(hosts.Orders);
    }

    /// <summary>The page's configuration, with both hosts.</summary>
    private protected abstract Task<MachineWebServer> StartAsync(ApplicationHosts hosts);

    /// <summary>The second host is not there yet, and the web server knows.</summary>
    private protected abstract Task<MachineWebServer> StartWithFirstAsync(ApplicationHosts hosts);

    private protected virtual Task AddSecondAsync(MachineWebServer webServer) => Task.CompletedTask;

    /// <summary>Ends when the first host has no request any more.</summary>
    private protected abstract Task DrainFirstAsync(MachineWebServer webServer);

    private protected abstract Task ReturnFirstAsync(MachineWebServer webServer);

    private protected virtual Task OnSecondKilledAsync(MachineWebServer webServer) => Task.CompletedTask;

    private protected virtual void AssertLost(OrderingClients clients)
    {
    }
}
