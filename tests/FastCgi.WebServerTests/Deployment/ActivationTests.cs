namespace FastCgi.WebServerTests.Deployment;

/// <summary>An application names the socket that systemd passes to it.</summary>
public sealed class ActivationTests
{
    [Theory]
    [InlineData(ListenerHandover.Systemd)]
    [InlineData(ListenerHandover.SpawnFcgi)]
    public async Task A_socket_that_no_endpoint_names_is_warned_of_before_the_bind_fails(ListenerHandover handover)
    {
        using var listener = new InheritedListener();
        await using var app = listener.Start(
            handover,
            "dotnet",
            Repository.BuiltSample("Hello"),
            "--FastCgi:Endpoints:Main:Url=unix:/nowhere/app.sock");

        Assert.NotEqual(0, await app.WaitAsync("the end of the application"));
        var log = app.Log.ToString();
        Assert.Contains($"Not listening on unix:{listener.SocketPath}", log, StringComparison.Ordinal);
        Assert.Contains($"FastCgi:Endpoints:NAME:Url=unix:{listener.SocketPath}", log, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(ListenerHandover.Systemd)]
    [InlineData(ListenerHandover.SpawnFcgi)]
    public async Task An_endpoint_that_another_process_listens_on_already_is_taken_from_it(ListenerHandover handover)
    {
        using var listener = new InheritedListener();
        await using var nginx = await BackEnd.FastCgi.StartNginxAsync(listener.SocketPath);
        using var client = TestClient.Create(nginx.EndPoint);
        foreach (var endsByItself in new[] { false, true })
        {
            await using var app = listener.Start(
                handover,
                "dotnet",
                Repository.BuiltSample("Hello"),
                $"--FastCgi:Endpoints:Main:Url=unix:{listener.SocketPath}",
                "--FastCgi:Endpoints:Main:UnixMode=0600",
                "--FastCgi:Status:PingPath=/ping",
                "--FastCgi:Status:Endpoint=fastcgi://127.0.0.1:0",
                endsByItself ? "--FastCgi:ExitAfterRequests=1" : "--Logging:LogLevel:Default=Information");
            await app.WaitForStartAsync("the application");

            for (var request = 0; request < 2; request++)
            {
                // Two: a tenth is added to the limit.
                Assert.NotEmpty(await client.GetStringAsync("/").Within("the page", app.Log.ToString));
            }

            Assert.Equal(0, endsByItself ? await app.WaitAsync("the end by itself") : await app.StopAsync());
            Assert.True(File.Exists(listener.SocketPath), "The file of systemd's socket is gone.");
            Assert.DoesNotContain("Not listening on", app.Log.ToString(), StringComparison.Ordinal);
        }
    }
}
