using FastCgi.WebServerTests.Instances;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>
/// The documented template units under load, where systemd keeps the socket and starts the next process. No question is
/// lost; an order may meet the close of its connection on a busy machine (see long-proofs.md). The variables
/// FASTCGI_USER_EXITS and FASTCGI_USER_EXIT_SITES give other numbers for a long run.
/// </summary>
[Trait("Category", "Slow")]
public sealed class UserExitTests(ITestOutputHelper output)
{
    private const int Clients = 4;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);
    private static readonly int _exitsWanted = RunSettings.Number("FASTCGI_USER_EXITS") ?? 3;
    private static readonly int _sites = RunSettings.Number("FASTCGI_USER_EXIT_SITES") ?? 1;

    private int _requests;
    private int _failedOrders;

    [Fact]
    public async Task No_question_is_lost_and_hardly_any_order_when_systemd_starts_the_next_process()
    {
        await using var manager = await UserSystemd.StartAsync("FastCgi__ExitAfterRequests=50");
        var lost = new ConcurrentQueue<string>();
        await Task.WhenAll(Enumerable.Range(1, _sites).Select(i => Task.Run(() => AskAsync(manager, $"exit{i}", lost))));
        var line = string.Create(
            CultureInfo.InvariantCulture,
            $"=> exits: {_requests} requests, {Exits(manager, "exit")} exits under systemd --user, " +
            $"{lost.Count} lost, {_failedOrders} orders failed");
        output.WriteLine(line);
        Console.WriteLine(line);
        Assert.Empty(lost);
        Assert.InRange(_failedOrders, 0, 1 + (_exitsWanted / 100));
    }

    /// <summary>One site's share: through nginx with kept connections, POSTs too, and on a connection for each request.</summary>
    private async Task AskAsync(UserSystemd manager, string site, ConcurrentQueue<string> lost)
    {
        using var directory = new WorkDirectory();
        await manager.RunAsync("start", $"site@{site}.socket");
        var socket = directory.File("s");
        File.CreateSymbolicLink(socket, manager.SocketPath(site));
        await using var nginx =
            await BackEnd.FastCgi.StartNginxAsync(socket);
        using var client = TestClient.Create(nginx.EndPoint);
        var clients = new OrderingClients(client, Clients);
        var alone = 0;
        while (Exits(manager, $"{site} ") * _sites < _exitsWanted)
        {
            alone++;
            await using var peer = await ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(socket));
            peer.Timeout = _patience;
            var response = await peer.RoundTripAsync(ExitingSite.FromNginx(keepConnection: false));
            if (response.BodyText != site)
            {
                lost.Enqueue($"alone: {response}");
            }
        }

        await clients.StopAsync().Within("the last answers", () => manager.Log, _patience);
        foreach (var failure in clients.FailedQuestions)
        {
            lost.Enqueue($"question: {failure}");
        }

        Interlocked.Add(ref _failedOrders, clients.FailedOrders.Count);
        clients.AssertNoneTwiceOrUnnoticed(File.ReadAllLines(manager.RuntimeFile($"{site}.orders")));
        Interlocked.Add(ref _requests, alone + (2 * clients.ConfirmedOrders.Count));
    }

    /// <summary>Services that have ended in order. One that failed ends the test.</summary>
    private static int Exits(UserSystemd manager, string site)
    {
        var ends = manager.Ends;
        Assert.All(ends, static end => Assert.EndsWith(" success", end, StringComparison.Ordinal));
        return ends.Count(end => end.StartsWith(site, StringComparison.Ordinal));
    }
}
