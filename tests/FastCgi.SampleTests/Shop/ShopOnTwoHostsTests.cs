using FastCgi.WebServerKit.Network;

namespace FastCgi.SampleTests.Shop;

/// <summary>
/// The shop on two machines behind nginx on a third, which sends each request to either, and PostgreSQL on a fourth. Both
/// hosts start at once, on an empty database.
/// </summary>
[Trait("Category", "Slow")]
public sealed class ShopOnTwoHostsTests(ITestOutputHelper output) : IDisposable
{
    private const int Port = 9000;

    private static readonly TimeSpan _startDeadline = TimeSpan.FromSeconds(90);

    private readonly WorkDirectory _directory = new();

    [Fact]
    public async Task A_visitor_buys_on_two_hosts_of_which_one_stops_meanwhile()
    {
        await using var network = await TestNetwork.StartAsync("web", "app1", "app2", "data");
        await using var database = await PostgreSqlServer.StartAsync(network.Machines[3]);
        await using var first = Start(network, network.Machines[1], database);
        await using var second = Start(network, network.Machines[2], database);
        await Task.WhenAll(
            first.WaitForStartAsync("the first host", _startDeadline),
            second.WaitForStartAsync("the second host", _startDeadline));
        await using var nginx = await WebServer.StartAsync(
            network.Machines[0], WebServerProgram.Nginx, socket => Site(socket, network));

        using (var visitor = new ShopVisitor(nginx.CreateClient(keepsCookies: true)))
        {
            await visitor.AddAsync("matcha-set", 3);
            await visitor.ChangeAsync("matcha-set", 2);
            Assert.Equal(2, await visitor.BasketCountAsync());
            Assert.Contains("Matcha set", await visitor.OrderAsync(), StringComparison.Ordinal);
            Assert.Equal(0, await visitor.BasketCountAsync());

            await visitor.AddAsync("matcha-set", 1);
            Assert.Equal(0, await first.StopAsync());
            Assert.Equal(1, await visitor.BasketCountAsync());
            Assert.Contains("Matcha set", await visitor.OrderAsync(), StringComparison.Ordinal);
        }

        var served = await File.ReadAllLinesAsync(nginx.File("access.log"));
        var byFirst = served.Count(line => line.Contains($"{network.Machines[1].Address}:{Port}", StringComparison.Ordinal));
        output.WriteLine($"{served.Length} requests, {byFirst} of them by the first host");
        Assert.InRange(byFirst, 5, served.Length - 5);
    }

    [Fact]
    public async Task To_share_needs_a_database_that_other_hosts_reach()
    {
        await using var shop = ChildProcess.Start(
            "dotnet",
            [SampleProgram.FileOf("Shop"), "--data", _directory.File("data"), "--Shared", "true"],
            SampleProgram.FolderOf("Shop"));
        Assert.Equal(1, await shop.WaitAsync("the end of a shop that cannot open", _startDeadline));
        Assert.Equal(
            "The shop cannot open: --Shared needs a database that all hosts reach: postgresql or mariadb.",
            shop.Log.ToString());
    }

    public void Dispose() => _directory.Dispose();

    private ChildProcess Start(TestNetwork network, TestMachine machine, PostgreSqlServer database) => machine.Start(
        "dotnet",
        [
            SampleProgram.FileOf("Shop"), "--data", _directory.File(machine.Name), "--Shared", "true",
            "--Database:Kind", "postgresql", "--ConnectionStrings:Database", database.ConnectionString,
            "--FastCgi:Endpoints:App:Url", $"fastcgi://{machine.Address}:{Port}",
            "--FastCgi:Endpoints:App:AllowedClients:0", $"{network.Machines[0].Address}",
        ],
        SampleProgram.FolderOf("Shop"));

    private static string Site(string socket, TestNetwork network)
    {
        var log = Path.Combine(Path.GetDirectoryName(socket)!, "access.log");
        return "log_format served $upstream_addr;\n" +
            Assert.Single(MarkdownBlocks.Read(
                Path.Combine(Repository.Root, "docs", "instances.md"), "nginx", "Machines behind nginx"))
            .Replace("10.0.0.11", $"{network.Machines[1].Address}", StringComparison.Ordinal)
            .Replace("10.0.0.12", $"{network.Machines[2].Address}", StringComparison.Ordinal)
            .Replace("listen 80;", $"listen unix:{socket};\naccess_log {log} served;", StringComparison.Ordinal)
            .Replace("include fastcgi_params", "include /etc/nginx/fastcgi_params", StringComparison.Ordinal);
    }
}
