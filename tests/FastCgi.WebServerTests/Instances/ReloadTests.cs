using System.Net.Sockets;
using System.Text;

namespace FastCgi.WebServerTests.Instances;

/// <summary>Reloads by SIGHUP, as systemd asks for them, under load through nginx on a unix socket.</summary>
[Trait("Category", "Slow")]
public sealed class ReloadTests(ITestOutputHelper output) : IDisposable
{
    private const int Clients = 8;
    private const int Reloads = 20;
    private const int Share = 50;

    private static readonly TimeSpan _step = TimeSpan.FromMinutes(2);

    private readonly WorkDirectory _directory = new();

    [Fact]
    public async Task Twenty_reloads_lose_no_request()
    {
        using var manager = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        var notify = _directory.File("notify");
        manager.Bind(new UnixDomainSocketEndPoint(notify));
        await using var instance = Instance.OnUnixSocket("reloaded", _directory);
        await using var process = ChildProcess.Start(
            "dotnet",
            [Repository.BuiltTestProgram("FastCgi.InstanceApp"), "--urls", $"fastcgi://{instance.Address}",
                "--Instance", instance.Name, "--Orders", _directory.File("reloaded.orders"),
                "--Logging:LogLevel:Microsoft.AspNetCore=Warning"],
            _directory.Path,
            new Dictionary<string, string> { ["NOTIFY_SOCKET"] = notify });
        await process.WaitForStartAsync("the application", _step);
        await ToldAsync(manager, "READY=1").Within("the readiness", process.Log.ToString, _step);
        await using var nginx = await NginxSite.StartAsync(
            IBackEnd.Of(BackEndKind.FastCgi), NginxSettings.Default, instance.Address["unix:".Length..]);
        using var client = TestClient.Create(nginx.EndPoint);
        var clients = new OrderingClients(client, Clients);

        for (var i = 0; i < Reloads; i++)
        {
            await clients.AnsweredByAsync(instance, Share).Within("a share of the load", process.Log.ToString, _step);
            process.HangUp();
            await ToldAsync(manager, "RELOADING=1").Within("the reload", process.Log.ToString, _step);
            await ToldAsync(manager, "READY=1").Within("its end", process.Log.ToString, _step);
        }

        await clients.AnsweredByAsync(instance, Share).Within("a share of the load", process.Log.ToString, _step);
        await clients.StopAsync().Within("the last answers", deadline: _step);
        output.WriteLine($"{Reloads} reloads, {clients.ConfirmedOrders.Count} orders and as many questions, " +
            $"{clients.FailedOrders.Count + clients.FailedQuestions.Count} lost.");
        Assert.Empty(clients.FailedOrders);
        Assert.Empty(clients.FailedQuestions);
        clients.AssertNoneTwiceOrUnnoticed(instance.Orders);
        Assert.Equal(0, await process.StopAsync());
    }

    public void Dispose() => _directory.Dispose();

    /// <summary>Completes when the server has told this to the service manager.</summary>
    private static async Task ToldAsync(Socket manager, string what)
    {
        var buffer = new byte[4096];
        while (!Encoding.UTF8.GetString(buffer, 0, await manager.ReceiveAsync(buffer)).Split('\n').Contains(what))
        {
        }
    }
}
