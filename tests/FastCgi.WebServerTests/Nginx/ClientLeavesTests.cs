using System.Collections.Concurrent;
using System.Net;

namespace FastCgi.WebServerTests.Nginx;

public sealed class ClientLeavesTests
{
    [Theory, BackEnds]
    public async Task A_client_that_leaves_before_the_answer_fires_RequestAborted(BackEndKind backEnd)
    {
        var arrived = new TaskCompletionSource();
        var aborted = new TaskCompletionSource();
        await using var site = await Site.StartAsync(backEnd, app => app.Run(async context =>
        {
            context.RequestAborted.UnsafeRegister(_ => aborted.SetResult(), null);
            arrived.SetResult();
            await aborted.Task;
        }));
        await using (var client = await site.ConnectAsync())
        {
            await client.SendAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            await arrived.Task.Within("the request's arrival");
        }

        await aborted.Task.Within("RequestAborted");
    }

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
    public async Task A_client_that_leaves_during_the_answer_ends_it(BackEndKind backEnd)
    {
        var ended = new TaskCompletionSource<bool>();
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.Run(async context =>
            {
                var piece = new byte[10_000];
                while (!context.RequestAborted.IsCancellationRequested)
                {
                    try
                    {
                        await context.Response.Body.WriteAsync(piece, context.RequestAborted);
                    }
                    catch (OperationCanceledException)
                    {
                    }
                }

                ended.SetResult(true);
            }),
            nginx: new NginxSettings { BuffersResponses = false });
        await using (var client = await site.ConnectAsync())
        {
            await client.SendAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            Assert.False((await client.ReadBody(await client.ReadHeadAsync()).ReadAsync()).IsEmpty);
        }

        Assert.True(await ended.Task.Within("the answer's end"));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.FastCgiWithoutKeepConn, BackEndKind.Kestrel)]
    public async Task A_client_that_leaves_during_its_upload_fails_the_applications_read(BackEndKind backEnd)
    {
        var begun = new TaskCompletionSource();
        var failed = new TaskCompletionSource<Exception?>();
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapPost("/", async (HttpRequest request) =>
            {
                await request.Body.ReadExactlyAsync(new byte[100]);
                begun.SetResult();
                failed.SetResult(await Record.ExceptionAsync(() => request.Body.CopyToAsync(Stream.Null)));
            }),
            nginx: new NginxSettings { BuffersRequests = false });
        await using (var client = await site.ConnectAsync())
        {
            await client.SendAsync("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n");
            await client.SendAsync(new byte[1000]);
            await begun.Task.Within("the first read");
        }

        // A cancelled read or a failed one: an application that sees neither would take half a file for a whole one.
        var exception = await failed.Task.Within("the failure of the read");
        Assert.True(exception is IOException or OperationCanceledException, $"Saw: {exception}");
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
