namespace FastCgi.WebServerTests.Nginx;

/// <summary>Clients that leave, beside the three rows of Matrix about them.</summary>
public sealed class ClientLeavesTests
{
    /// <summary>On our server as on Kestrel: who looks once, behind the abort, sees it.</summary>
    [Theory, BackEnds]
    public async Task A_token_that_is_asked_for_behind_the_abort_is_cancelled_already(BackEndKind backEnd)
    {
        const int Requests = 20;
        var seen = new ConcurrentQueue<bool>();
        var looked = new SemaphoreSlim(0);
        await using var site = await Site.StartAsync(backEnd, app => app.Run(context =>
        {
            context.Abort();
            seen.Enqueue(context.RequestAborted.IsCancellationRequested);
            looked.Release();
            return Task.CompletedTask;
        }));
        for (var i = 0; i < Requests; i++)
        {
            using var response = await site.Client.GetAsync("/");
            Assert.Equal(HttpStatusCode.BadGateway, response.StatusCode);

            // nginx answers as soon as the connection has ended, perhaps before the handler goes on.
            await looked.WaitAsync().Within("the handler's look behind the abort");
        }

        // Kestrel gets a request again whose kept connection ended without an answer.
        Assert.InRange(seen.Count, Requests, int.MaxValue);
        Assert.All(seen, Assert.True);
    }

    [Theory, BackEnds]
    public async Task Those_who_stay_are_served_while_others_leave(BackEndKind backEnd)
    {
        const int Clients = 20;
        var arrived = new SemaphoreSlim(0);
        var answer = new TaskCompletionSource();
        await using var site = await Site.StartAsync(backEnd, app => app.Run(async context =>
        {
            arrived.Release();
            await answer.Task.WaitAsync(context.RequestAborted).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await context.Response.WriteAsync(context.Request.Path.Value!);
        }));

        var clients = await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => site.ConnectAsync()));
        for (var i = 0; i < Clients; i++)
        {
            await clients[i].SendAsync($"GET /{i} HTTP/1.1\r\nHost: h\r\n\r\n");
            await arrived.WaitAsync().Within("a request's arrival");
        }

        foreach (var leaving in clients.Where((_, i) => i % 2 == 0))
        {
            await leaving.DisposeAsync();
        }

        answer.SetResult();
        for (var i = 1; i < Clients; i += 2)
        {
            Assert.Equal($"/{i}", (await clients[i].ReadResponseAsync()).Text);
            await clients[i].DisposeAsync();
        }
    }
}
