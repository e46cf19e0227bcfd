using Microsoft.AspNetCore.Connections.Features;

namespace FastCgi.WebServerTests.Nginx;

public sealed class StopTests
{
    private const int Clients = 20;

    /// <summary>
    /// nginx is short of a processor while the server stops. Then it finds a request of a client, before it finds that
    /// something has happened on the connection that it kept, and uses this connection.
    /// </summary>
    [Theory, BackEnds(BackEndKind.FastCgi)]
    public async Task A_POST_that_nginx_sends_after_the_stop_has_begun_is_answered(BackEndKind backEnd)
    {
        const string Post = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n";
        var stopping = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var clock = new ManualTimeProvider();
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapPost("/", (HttpContext context) =>
            {
                var notification = context.Features.GetRequiredFeature<IConnectionLifetimeNotificationFeature>();
                notification.ConnectionClosedRequested.Register(() => stopping.TrySetResult());
                return "whole";
            }),
            builder => builder.Services.AddSingleton<TimeProvider>(clock));
        await using var client = await site.ConnectAsync(Post);
        Assert.Equal("whole", (await client.ReadResponseAsync()).Text);

        Task stop;
        using (site.WebServer.HoldNginxWorker())
        {
            await client.SendAsync(Post);
            stop = site.StopAsync();
            await stopping.Task.Within("the stop of the connection");
            clock.Advance(TimeSpan.FromSeconds(1));
            clock.Advance(TimeSpan.FromSeconds(1));
        }

        var answer = await client.ReadResponseAsync();
        Assert.Equal((200, "whole"), (answer.Status, answer.Text));
        await stop.Within("the stop");
    }

    /// <summary>The clock stands still, so nginx has closed the connection, at once.</summary>
    [Theory, BackEnds(BackEndKind.FastCgi)]
    public async Task Nginx_closes_an_idle_connection_when_the_server_stops(BackEndKind backEnd)
    {
        var clock = new ManualTimeProvider();
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapGet("/", () => "here"),
            builder => builder.Services.AddSingleton<TimeProvider>(clock));
        Assert.Equal(200, (await site.AskAsync("/")).Status);
        await site.StopAsync().Within("the stop");
        Assert.DoesNotContain(site.Log.Entries, static entry => entry.EventId.Name == "NotAllConnectionsClosedGracefully");
        Assert.Equal(502, (await site.AskAsync("/")).Status);
    }

    [Theory, BackEnds]
    public async Task A_stop_under_load_fails_no_request_when_another_server_takes_over(BackEndKind kind)
    {
        // nginx ends a client's connection after 1,000 requests otherwise, and the clients ask until the stop is over.
        var settings = NginxSettings.Default with { More = "keepalive_requests 1000000000;" };
        var backEnd = BackEnd.Of(kind);
        await using var leaving = await ServedApp.StartAsync(backEnd, Answering("leaving"));
        await using var staying = await ServedApp.StartAsync(backEnd, Answering("staying"));
        await using var nginx = await backEnd.StartNginxAsync(settings, leaving.SocketPath, staying.SocketPath);

        using var stopped = new CancellationTokenSource();
        var seen = new Seen();
        var clients = Enumerable.Range(0, Clients).Select(_ => AskAsync(nginx, seen, stopped.Token)).ToList();
        await seen.LeavingOften.Task.Within("answers of the one that leaves");
        await leaving.StopAsync().Within("the stop under load");
        await stopped.CancelAsync();
        await Task.WhenAll(clients).Within("the clients' last answers");
    }

    private static Action<WebApplication> Answering(string name) => app => app.MapGet("/", async () =>
    {
        await Task.Yield();
        return name;
    });

    /// <summary>Asks until the stop is over, and a few times more.</summary>
    private static async Task AskAsync(WebServer nginx, Seen seen, CancellationToken stopped)
    {
        const int AfterTheStop = 20;
        await using var client = await RawHttpClient.ConnectAsync(nginx.EndPoint);
        for (var after = 0; after < AfterTheStop; after += stopped.IsCancellationRequested ? 1 : 0)
        {
            await client.SendAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            var response = await client.ReadResponseAsync();
            Assert.Equal((200, false), (response.Status, response.IsTorn));
            seen.Count(response.Text);
        }
    }

    private sealed class Seen
    {
        private const int Often = 500;

        private int _leaving;

        public TaskCompletionSource LeavingOften { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void Count(string name)
        {
            if (name == "leaving" && Interlocked.Increment(ref _leaving) == Often)
            {
                LeavingOften.SetResult();
            }
        }
    }
}
