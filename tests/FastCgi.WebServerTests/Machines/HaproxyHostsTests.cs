using System.Net.Sockets;
using System.Text;
using FastCgi.WebServerKit.Network;

namespace FastCgi.WebServerTests.Machines;

/// <summary>HAProxy finds new hosts by its checks, and drains one when it is told to.</summary>
public sealed class HaproxyHostsTests(ITestOutputHelper output) : HostsUnderLoad(output)
{
    private protected override Task<MachineWebServer> StartAsync(ApplicationHosts hosts) =>
        MachineWebServer.StartAsync(hosts.WebHost, new HaproxyServer(hasFrontend: true), ScalingPage.Haproxy);

    private protected override async Task<MachineWebServer> StartWithFirstAsync(ApplicationHosts hosts)
    {
        var haproxy = await StartAsync(hosts);
        await OnSecondKilledAsync(haproxy);
        return haproxy;
    }

    private protected override async Task DrainFirstAsync(MachineWebServer webServer)
    {
        await AdministerAsync(webServer, "set server app/app1 state drain");
        await DrainedAsync(webServer);
    }

    private protected override Task ReturnFirstAsync(MachineWebServer webServer) =>
        AdministerAsync(webServer, "set server app/app1 state ready");

    private protected override Task OnSecondKilledAsync(MachineWebServer webServer) =>
        webServer.ErrorLog.WaitForAsync("Server app/app2 is DOWN");

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
