namespace FastCgi.WebServerTests.Instances;

/// <summary>
/// A deployment as people do it: the service manager keeps the listening socket, the application is asked to end and
/// started anew, again and again, while clients go on asking. nginx keeps its connections (<c>fastcgi_keep_conn on</c>).
/// </summary>
[Trait("Category", "Slow")]
public sealed class RestartTests(ITestOutputHelper output)
{
    private const int Restarts = 10;
    private const int Clients = 32;

    private static readonly TimeSpan _step = TimeSpan.FromMinutes(2);

    /// <summary>The variable FASTCGI_RESTART_REQUESTS names another number for a run by hand.</summary>
    private static readonly int _requests = RunSettings.Number("FASTCGI_RESTART_REQUESTS") ?? 20_000;

    [Theory]
    [InlineData(ListenerHandover.Systemd)]
    [InlineData(ListenerHandover.SpawnFcgi)]
    public async Task Ten_restarts_under_load_fail_no_request_when_another_process_keeps_the_socket(
        ListenerHandover handover)
    {
        using var directory = new WorkDirectory();
        using var listener = new InheritedListener();
        await using var nginx = await BackEnd.FastCgi.StartNginxAsync(listener.SocketPath);
        using var client = TestClient.Create(nginx.EndPoint);
        var clients = new OrderingClients(client, Clients);
        for (var start = 0; start <= Restarts; start++)
        {
            await using var app = listener.Start(
                handover, "dotnet", Repository.BuiltTestProgram("FastCgi.InstanceApp"),
                $"--Instance={start}", $"--Orders={directory.File("orders")}",
                "--Logging:LogLevel:Microsoft.AspNetCore=Warning");
            await app.WaitForStartAsync("the application", _step);

            // Each instance has had its share of the requests when it is asked to end.
            await clients.AnsweredByAsync($"{start}", _requests / (Restarts + 1))
                .Within("a share of the load", app.Log.ToString, _step);
            if (start == Restarts)
            {
                await clients.StopAsync().Within("the last answers");
            }

            Assert.Equal(0, await app.StopAsync());
        }

        output.WriteLine($"{clients.ConfirmedOrders.Count} orders and as many questions, {Restarts} restarts.");
        Assert.True(clients.FailedQuestions.IsEmpty, $"{string.Join('\n', clients.FailedQuestions)}\n{nginx.ErrorLog}");
        Assert.True(clients.FailedOrders.IsEmpty, $"{string.Join('\n', clients.FailedOrders)}\n{nginx.ErrorLog}");
        clients.AssertNoneTwiceOrUnnoticed(await File.ReadAllLinesAsync(directory.File("orders")));
    }
}
