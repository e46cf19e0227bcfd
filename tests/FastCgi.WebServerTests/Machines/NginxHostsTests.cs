using FastCgi.WebServerKit.Network;
using FastCgi.WebServerTests.Instances;

namespace FastCgi.WebServerTests.Machines;

/// <summary>nginx learns of hosts by a reload, and drains one whose line says "down".</summary>
public sealed class NginxHostsTests(ITestOutputHelper output) : HostsUnderLoad(output)
{
    private const string First = "server 10.0.0.11:9000 max_fails=1 fail_timeout=2s;";
    private const string Second = "server 10.0.0.12:9000 max_fails=1 fail_timeout=2s;";

    private protected override Task<MachineWebServer> StartAsync(ApplicationHosts hosts) => StartAsync(hosts, null);

    private protected override Task<MachineWebServer> StartWithFirstAsync(ApplicationHosts hosts) =>
        StartAsync(hosts, static site => With(site, Second, ""));

    private protected override Task AddSecondAsync(MachineWebServer webServer) => webServer.ReloadNginxAsync();

    private protected override Task DrainFirstAsync(MachineWebServer webServer) =>
        webServer.ReloadNginxAsync(static site => With(site, First, "server 10.0.0.11:9000 down;"));

    private protected override Task ReturnFirstAsync(MachineWebServer webServer) => webServer.ReloadNginxAsync();

    private protected override void AssertLost(OrderingClients clients) =>
        Assert.All(clients.FailedOrders, static order => Assert.Contains(order.Failure, new[] { "502", "504" }));

    private static Task<MachineWebServer> StartAsync(ApplicationHosts hosts, Func<string, string>? change) =>
        MachineWebServer.StartAsync(hosts.WebHost, new NginxServer(), ScalingPage.Nginx, change);

    private static string With(string site, string line, string other)
    {
        Assert.Contains(line, site, StringComparison.Ordinal);
        return site.Replace(line, other, StringComparison.Ordinal);
    }
}
