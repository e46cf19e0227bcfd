using System.Net.Sockets;
using System.Text;
using FastCgi.WebServerKit.Network;
using FastCgi.WebServerTests.Instances;

namespace FastCgi.WebServerTests.Machines;

/// <summary>HAProxy on one machine and the application on two others, under load, as docs/scaling.md has it.</summary>
[Trait("Category", "Slow")]
public sealed class HaproxyHostsTests(ITestOutputHelper output)
{
    private const int Clients = 16;
    private const int Share = 200;

    private static readonly TimeSpan _step = TimeSpan.FromMinutes(2);

    [Fact]
    public async Task A_host_is_added_and_another_drained_without_a_lost_request()
    {
        await using var hosts = await ApplicationHosts.StartFirstAsync();
        await using var haproxy = await StartAsync(hosts);
        await haproxy.ErrorLog.WaitForAsync("Server app/app2 is DOWN");
        using var client = haproxy.CreateClient();
        var clients = new OrderingClients(client, Clients);
        await clients.AnsweredByAsync(hosts.First, Share).Within("a share of the load", hosts.ToString, _step);

        await hosts.Second.StartAsync();
        await clients.AnsweredByAsync(hosts.Second, Share).Within("the new host's share", hosts.ToString, _step);

        await AdministerAsync(haproxy, "set server app/app1 state drain");
        await DrainedAsync(haproxy).Within("the end of its requests", hosts.ToString, _step);
        await hosts.First.StopAsync();
        await clients.AnsweredByAsync(hosts.Second, Share).Within("the other's answers", hosts.ToString, _step);
        await hosts.First.StartAsync();
        await AdministerAsync(haproxy, "set server app/app1 state ready");
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
        await using var haproxy = await StartAsync(hosts);
        using var client = haproxy.CreateClient();
        var clients = new OrderingClients(client, Clients);

        await clients.AnsweredByAsync(hosts.Second, Share).Within("a share of the load", hosts.ToString, _step);
        await hosts.Second.KillAsync();
        await haproxy.ErrorLog.WaitForAsync("Server app/app2 is DOWN");
        await clients.AnsweredByAsync(hosts.First, Share).Within("the other's answers", hosts.ToString, _step);
        var byKill = clients.FailedOrders.Count;
        Assert.InRange(byKill, 0, Clients);

        await hosts.Second.StartAsync();
        await clients.AnsweredByAsync(hosts.Second, Share).Within("its return", hosts.ToString, _step);
        await hosts.SecondHost.UnplugAsync();
        // Each client waits for the host once at most, and goes on when the time is over.
        await clients.EachOnAsync(Clients).Within("the end of all waiting", hosts.ToString, _step);
        await hosts.SecondHost.PlugInAsync();
        await clients.AnsweredByAsync(hosts.Second, Share).Within("its return", hosts.ToString, _step);

        await clients.StopAsync().Within("the last answers", deadline: _step);
        var byCable = clients.FailedOrders.Count - byKill;
        output.WriteLine($"{clients.ConfirmedOrders.Count} orders and as many questions; lost by a killed process: " +
            $"{byKill} orders, by a pulled cable: {byCable}; questions: {clients.FailedQuestions.Count}.");
        Assert.Empty(clients.FailedQuestions);
        Assert.InRange(byCable, 0, 2 * Clients);
        clients.AssertNoneTwiceOrUnnoticed(hosts.Orders);
    }

    private static Task<MachineWebServer> StartAsync(ApplicationHosts hosts) =>
        MachineWebServer.StartAsync(hosts.WebHost, new HaproxyServer(hasFrontend: true), ScalingPage.Haproxy);

    /// <summary>Completes when the first host has no request any more.</summary>
    private static async Task DrainedAsync(MachineWebServer haproxy)
    {
        while (await SessionsAsync(haproxy) != "0")
        {
            await Task.Delay(TimeSpan.FromMilliseconds(20));
        }
    }

    /// <summary>The fifth column of its line: sessions that run.</summary>
    private static async Task<string> SessionsAsync(MachineWebServer haproxy)
    {
        var lines = (await AdministerAsync(haproxy, "show stat")).Split('\n');
        return lines.Single(static line => line.StartsWith("app,app1,", StringComparison.Ordinal)).Split(',')[4];
    }

    /// <summary>One command to the socket for the administrator.</summary>
    private static async Task<string> AdministerAsync(MachineWebServer haproxy, string command)
    {
        Assert.True(ScalingPage.Names(command), $"The page does not tell of '{command}'.");
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(haproxy.File("admin.sock"))).Within("the admin socket");
        await socket.SendAsync(Encoding.ASCII.GetBytes($"{command}\n")).Within("a command");
        await using var stream = new NetworkStream(socket);
        using var reader = new StreamReader(stream);
        return await reader.ReadToEndAsync().Within("its answer");
    }
}
