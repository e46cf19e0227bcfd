namespace FastCgi.WebServerTests.Nginx;

public sealed class LoadTests
{
    private const int Clients = 200;
    private const int RequestsEach = 10;

    [Theory, BackEnds]
    public async Task Two_hundred_parallel_clients_each_get_their_own_answers(BackEndKind backEnd)
    {
        var present = new SemaphoreSlim(0);
        var everybodyIsHere = new TaskCompletionSource();
        await using var site = await Site.StartAsync(backEnd, app =>
        {
            app.MapGet("/gate", async () =>
            {
                present.Release();
                await everybodyIsHere.Task;
                return "open";
            });
            app.MapPost("/{client:int}/{request:int}", async (int client, int request, HttpRequest http) =>
            {
                using var reader = new StreamReader(http.Body);
                var body = await reader.ReadToEndAsync();
                await Task.Yield();
                return $"{client}/{request} {body}";
            });
        });

        var clients = Enumerable.Range(0, Clients).Select(client => RunAsync(site, client)).ToList();

        // All of them are in the application at once before the first is answered.
        for (var i = 0; i < Clients; i++)
        {
            await present.WaitAsync().Within($"client {i} of {Clients} in the application");
        }

        everybodyIsHere.SetResult();
        await Task.WhenAll(clients).Within("all clients' answers", deadline: TimeSpan.FromSeconds(60));
    }

    private static async Task RunAsync(Site site, int number)
    {
        await using var client = await site.ConnectAsync("GET /gate HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal("open", (await client.ReadResponseAsync()).Text);

        for (var i = 0; i < RequestsEach; i++)
        {
            var body = new string((char)('a' + (i % 26)), (number * 37) + 1);
            await client.SendAsync(
                $"POST /{number}/{i} HTTP/1.1\r\nHost: h\r\nContent-Length: {body.Length}\r\n\r\n{body}");
            var response = await client.ReadResponseAsync();
            Assert.Equal((200, $"{number}/{i} {body}"), (response.Status, response.Text));
        }
    }
}
