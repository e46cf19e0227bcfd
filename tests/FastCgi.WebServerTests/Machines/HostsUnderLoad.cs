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
    private protected abstract Task<WebServer> StartAsync(ApplicationHosts hosts);

    /// <summary>The second host is not there yet, and the web server knows.</summary>
    private protected abstract Task<WebServer> StartWithFirstAsync(ApplicationHosts hosts);

    private protected virtual Task AddSecondAsync(WebServer webServer) => Task.CompletedTask;

    /// <summary>Ends when the first host has no request any more.</summary>
    private protected abstract Task DrainFirstAsync(WebServer webServer);

    private protected abstract Task ReturnFirstAsync(WebServer webServer);

    private protected virtual Task OnSecondKilledAsync(WebServer webServer) => Task.CompletedTask;

    private protected virtual void AssertLost(OrderingClients clients)
    {
    }
}

/// <summary>HAProxy finds new hosts by its checks, and drains one when it is told to.</summary>
public sealed class HaproxyHostsTests(ITestOutputHelper output) : HostsUnderLoad(output)
{
    private protected override Task<WebServer> StartAsync(ApplicationHosts hosts) =>
        WebServer.StartAsync(hosts.WebHost, WebServerProgram.Haproxy, ScalingPage.Haproxy);

    private protected override async Task<WebServer> StartWithFirstAsync(ApplicationHosts hosts)
    {
        var haproxy = await StartAsync(hosts);
        await OnSecondKilledAsync(haproxy);
        return haproxy;
    }

    private protected override async Task DrainFirstAsync(WebServer webServer)
    {
        await AdministerAsync(webServer, "set server app/app1 state drain");
        await DrainedAsync(webServer);
    }

    private protected override Task ReturnFirstAsync(WebServer webServer) =>
        AdministerAsync(webServer, "set server app/app1 state ready");

    private protected override Task OnSecondKilledAsync(WebServer webServer) =>
        webServer.ErrorLog.WaitForAsync("Server app/app2 is DOWN");

    /// <summary>Completes when the first host has no request any more.</summary>
    private static async Task DrainedAsync(WebServer haproxy)
    {
        while (await SessionsAsync(haproxy) != "0")
        {
            await Task.Delay(TimeSpan.FromMilliseconds(20));
        }
    }

    /// <summary>The fifth column of its line: sessions that run.</summary>
    private static async Task<string> SessionsAsync(WebServer haproxy)
    {
        var lines = (await AdministerAsync(haproxy, "show stat")).Split('\n');
        return lines.Single(static line => line.StartsWith("app,app1,", StringComparison.Ordinal)).Split(',')[4];
    }

    /// <summary>One command to the socket for the administrator.</summary>
    private static async Task<string> AdministerAsync(WebServer haproxy, string command)
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

/// <summary>nginx learns of hosts by a reload, and drains one whose line says "down".</summary>
public sealed class NginxHostsTests(ITestOutputHelper output) : HostsUnderLoad(output)
{
    private const string First = "server 10.0.0.11:9000 max_fails=1 fail_timeout=2s;";
    private const string Second = "server 10.0.0.12:9000 max_fails=1 fail_timeout=2s;";

    private protected override Task<WebServer> StartAsync(ApplicationHosts hosts) =>
        StartAsync(hosts, ScalingPage.Nginx);

    private protected override Task<WebServer> StartWithFirstAsync(ApplicationHosts hosts) =>
        StartAsync(hosts, static socket => ScalingPage.Nginx(socket).With(Second, ""));

    private protected override Task AddSecondAsync(WebServer webServer) => webServer.ReloadNginxAsync(ScalingPage.Nginx);

    private protected override Task DrainFirstAsync(WebServer webServer) =>
        webServer.ReloadNginxAsync(
            static socket => ScalingPage.Nginx(socket).With(First, "server 10.0.0.11:9000 down;"));

    private protected override Task ReturnFirstAsync(WebServer webServer) =>
        webServer.ReloadNginxAsync(ScalingPage.Nginx);

    private protected override void AssertLost(OrderingClients clients) =>
        Assert.All(clients.FailedOrders, static order => Assert.Contains(order.Failure, new[] { "502", "504" }));

    private static Task<WebServer> StartAsync(ApplicationHosts hosts, Func<string, string> site) =>
        WebServer.StartAsync(hosts.WebHost, WebServerProgram.Nginx, site);
}

/// <summary>A network of a web host and two application hosts, with one instance of the application on each of these.</summary>
internal sealed class ApplicationHosts : IAsyncDisposable
{
    private readonly WorkDirectory _directory = new();
    private readonly TestNetwork _network;

    private ApplicationHosts(TestNetwork network)
    {
        _network = network;
        First = Instance.OnMachine("first", FirstHost, WebHost, _directory);
        Second = Instance.OnMachine("second", SecondHost, WebHost, _directory);
    }

    public TestMachine WebHost => _network.Machines[0];

    public TestMachine FirstHost => _network.Machines[1];

    public TestMachine SecondHost => _network.Machines[2];

    public Instance First { get; }

    public Instance Second { get; }

    /// <summary>The orders that were executed, on either host.</summary>
    public IReadOnlyList<string> Orders => [.. First.Orders, .. Second.Orders];

    /// <summary>With the application running on the first host alone.</summary>
    public static async Task<ApplicationHosts> StartFirstAsync()
    {
        var hosts = new ApplicationHosts(await TestNetwork.StartAsync("web", "app1", "app2"));
        return await hosts.StartedAsync(static hosts => hosts.First.StartAsync());
    }

    public static async Task<ApplicationHosts> StartAsync()
    {
        var hosts = await StartFirstAsync();
        return await hosts.StartedAsync(static hosts => hosts.Second.StartAsync());
    }

    public override string ToString() => $"{First.Name}:\n{First.Log}";

    public async ValueTask DisposeAsync()
    {
        await First.DisposeAsync();
        await Second.DisposeAsync();
        await _network.DisposeAsync();
        _directory.Dispose();
    }
}

/// <summary>
/// The configurations as they stand in docs/instances.md. The test network has the documented addresses, so only the
/// sockets of web server and administrator are replaced.
/// </summary>
internal static class ScalingPage
{
    private const string AdminSocket = "/run/haproxy/admin.sock";

    private static readonly string _page = Path.Combine(Repository.Root, "docs", "instances.md");

    public static string Nginx(string socket) => Assert.Single(MarkdownBlocks.Read(_page, "nginx", "Machines behind nginx"))
        .With("listen 80;", $"listen unix:{socket};")
        .With("include fastcgi_params", "include /etc/nginx/fastcgi_params");

    public static string Haproxy(string socket) => Assert.Single(MarkdownBlocks.Read(_page, "haproxy", "Machines behind HAProxy"))
        .With("bind :80", $"bind unix@{socket}")
        .With(AdminSocket, AdminSocketBeside(socket));

    /// <summary>The page gives this command to the administrator.</summary>
    public static bool Names(string command) =>
        File.ReadAllText(_page).Contains($"echo \"{command}\"", StringComparison.Ordinal);

    private static string AdminSocketBeside(string socket) => Path.Combine(Path.GetDirectoryName(socket)!, "admin.sock");
}
