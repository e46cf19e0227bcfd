using System.Runtime.Versioning;

namespace FastCgi.WebServerTests.Instances;

/// <summary>
/// Reloads by SIGHUP, as systemd asks for them, under load through nginx on two unix sockets. Each reload removes the
/// second one, or adds it again, and changes the mode of the first.
/// </summary>
[SupportedOSPlatform("linux")]
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
        await using var second = Instance.OnUnixSocket("second", _directory);
        Configure(instance, second);
        await using var process = Start(instance, notify);
        await process.WaitForStartAsync("the application", _step);
        await ToldAsync(manager, "READY=1").Within("the readiness", process.Log.ToString, _step);
        await using var nginx = await DocumentedSite.StartNginxAsync(instance, second);
        using var client = TestClient.Create(nginx.EndPoint);
        var clients = new OrderingClients(client, Clients);

        for (var i = 0; i < Reloads; i++)
        {
            await clients.AnsweredByAsync(instance, Share).Within("a share of the load", process.Log.ToString, _step);
            Configure(instance, i % 2 == 0 ? null : second);
            process.HangUp();
            await ToldAsync(manager, "RELOADING=1").Within("the reload", process.Log.ToString, _step);
            await ToldAsync(manager, "READY=1").Within("its end", process.Log.ToString, _step);
            Assert.Equal(i % 2 == 1, File.Exists(second.Address["unix:".Length..]));
            Assert.Equal(ModeOf(i % 2 == 1), File.GetUnixFileMode(instance.Address["unix:".Length..]));
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

    /// <summary>While the last requests end, the signal does nothing; without a handler it would end the process.</summary>
    [Fact]
    public async Task A_signal_during_the_stop_loses_no_request()
    {
        using var manager = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        var notify = _directory.File("notify");
        manager.Bind(new UnixDomainSocketEndPoint(notify));
        await using var instance = Instance.OnUnixSocket("reloaded", _directory);
        Configure(instance, second: null);
        await using var process = Start(instance, notify);
        await ToldAsync(manager, "READY=1").Within("the readiness", process.Log.ToString, _step);
        var socket = instance.Address["unix:".Length..];
        await using var peer = await ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(socket));
        var order = new RequestScript
        {
            Method = "POST", Target = "/orders", ExtraParams = [("CONTENT_LENGTH", "5")],
        };
        await peer.SendAsync(new RecordBuilder().Begin().Params(1, order.ToParams()).EndParams().Stdin(1, "ord"u8));
        await peer.SynchronizeAsync();

        var stop = process.StopAsync();
        Assert.True(SpinWait.SpinUntil(() => !File.Exists(socket), _step), process.Log.ToString());
        process.HangUp();
        await peer.SendAsync(new RecordBuilder().Stdin(1, "er"u8).EndStdin());

        Assert.Equal(200, (await peer.ExpectResponseAsync()).StatusCode);
        Assert.Equal(0, await stop);
    }

    public void Dispose() => _directory.Dispose();

    private ChildProcess Start(Instance instance, string notify) => ChildProcess.Start(
        "dotnet",
        [Repository.BuiltTestProgram("FastCgi.InstanceApp"), "--Instance", instance.Name,
            "--Orders", _directory.File("reloaded.orders"), "--Logging:LogLevel:Microsoft.AspNetCore=Warning"],
        _directory.Path,
        new Dictionary<string, string> { ["NOTIFY_SOCKET"] = notify });

    /// <summary>What a reload reads: the second endpoint may be missing, and then the first has another mode.</summary>
    private void Configure(Instance first, Instance? second)
    {
        var mode = Convert.ToString((int)ModeOf(second is not null), 8);
        var further = second is null ? "" : $$""", "B": { "Url": "{{second.Address}}" }""";
        var path = _directory.File("appsettings.json");

        // Not in place: the host watches the file, and must not read half of it.
        File.WriteAllText($"{path}.new", $$"""
            { "FastCgi": { "Endpoints": { "A": { "Url": "{{first.Address}}", "UnixMode": "{{mode}}" } {{further}} } } }
            """);
        File.Move($"{path}.new", path, overwrite: true);
    }

    private static UnixFileMode ModeOf(bool isFirst) =>
        isFirst ? (UnixFileMode)0b110_110_110 : (UnixFileMode)0b111_111_111;

    /// <summary>Completes when the server has told this to the service manager.</summary>
    private static async Task ToldAsync(Socket manager, string what)
    {
        var buffer = new byte[4096];
        while (!Encoding.UTF8.GetString(buffer, 0, await manager.ReceiveAsync(buffer)).Split('\n').Contains(what))
        {
        }
    }
}
