using System.Globalization;

namespace FastCgi.WebServerTests.Nginx;

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
    private static readonly int _requests = int.Parse(
        Environment.GetEnvironmentVariable("FASTCGI_RESTART_REQUESTS") ?? "20000", CultureInfo.InvariantCulture);

    [Fact]
    public Task Ten_restarts_under_load_fail_no_request_when_systemd_keeps_the_socket() =>
        RestartUnderLoadAsync(ListenerHandover.Systemd);

    [Fact]
    public Task Ten_restarts_under_load_fail_no_request_when_the_socket_is_descriptor_0() =>
        RestartUnderLoadAsync(ListenerHandover.SpawnFcgi);

    private async Task RestartUnderLoadAsync(ListenerHandover handover)
    {
        using var listener = new InheritedListener();
        await using var nginx = await NginxSite.StartAsync(
            IBackEnd.Of(BackEndKind.FastCgi), NginxSettings.Default, listener.SocketPath);
        using var client = TestClient.Create(nginx.EndPoint);

        var started = TimeProvider.System.GetTimestamp();
        var load = new Load(client, Clients);
        var app = await StartAsync(listener, handover);
        try
        {
            for (var restart = 1; restart <= Restarts; restart++)
            {
                // Each instance has had its share of the requests when it is asked to end.
                await load.AskedAsync(_requests * restart / (Restarts + 1))
                    .Within("a share of the load", app.Log.ToString, _step);
                Assert.Equal(0, await app.StopAsync());
                await app.DisposeAsync();
                app = await StartAsync(listener, handover);
            }

            await load.AskedAsync(_requests).Within("the rest of the load", app.Log.ToString, _step);
            await load.StopAsync().Within("the last answers");
        }
        finally
        {
            await app.DisposeAsync();
        }

        var elapsed = TimeProvider.System.GetElapsedTime(started);
        output.WriteLine(
            $"{load.Asked} requests, {load.Failures.Count} failed, {Restarts} restarts, {elapsed.TotalSeconds:F1} s.");
        Assert.True(load.Failures.IsEmpty, $"{Summary(load)}\n{nginx.ErrorLog}");
    }

    private static string Summary(Load load) =>
        $"{load.Failures.Count} of {load.Asked} requests failed:\n{string.Join('\n', load.Failures.Take(20))}";

    private static async Task<ChildProcess> StartAsync(InheritedListener listener, ListenerHandover handover)
    {
        var app = listener.Start(
            handover, "dotnet", Repository.BuiltSample("Hello"), "--Logging:LogLevel:Microsoft.AspNetCore=Warning");
        await app.WaitForStartAsync("the application", _step);
        return app;
    }
}
