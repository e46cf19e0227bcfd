using FastCgi.WebServerTests.WebSockets;

namespace FastCgi.WebServerTests.Deployment.Dashboards;

/// <summary>
/// Visitors who come and go in waves of two minutes, WebSockets, and in each minute a rush of slow requests, more than
/// there are places, and one of sign-ins, more than there are processors.
/// </summary>
internal sealed class DashboardLoad(Site site)
{
    /// <summary>MaxConcurrentRequests of the site.</summary>
    public const int Places = 60;

    private const int StepsInSecond = 4;
    private const int StepsInMinute = 60 * StepsInSecond;

    private readonly ConcurrentBag<HttpStatusCode> _answers = [];
    private readonly List<Task> _requests = [];

    /// <summary>
    /// So many at a time in their rush. Far more than the processors take fill the queue of the socket: 502.
    /// </summary>
    public int SignIns { get; init; } = 5;

    /// <summary>How many answers of each status came.</summary>
    public async Task<Dictionary<HttpStatusCode, int>> RunAsync(TimeSpan length)
    {
        using var client = TestClient.Create(site.WebServer.EndPoint);
        using var timer = new PeriodicTimer(TimeSpan.FromSeconds(1.0 / StepsInSecond));
        for (var step = 0; step < length.TotalSeconds * StepsInSecond; step++)
        {
            var part = step % StepsInMinute;
            Ask(client, "/", (int)Math.Round(4 + (3 * Math.Sin(Math.PI * step / StepsInMinute))));
            Ask(client, "/slow", part % (4 * StepsInSecond) == 0 ? 1 : 0);
            Ask(client, "/failing", part % (3 * StepsInSecond) == 0 ? 1 : 0);
            Ask(client, "/slow", part == 4 * StepsInSecond ? Places + 20 : 0);
            Ask(client, "/sign-in", part is >= 8 * StepsInSecond and < 13 * StepsInSecond ? SignIns : 0);
            // Not within a rush, where an upgrade may find no place.
            if (part % (20 * StepsInSecond) == 0)
            {
                var seconds = part < StepsInMinute / 2 ? 25 : 8;
                _requests.Add(TalkAsync(TimeSpan.FromSeconds(Math.Min(seconds, length.TotalSeconds))));
            }

            await timer.WaitForNextTickAsync();
        }

        await Task.WhenAll(_requests)
            .Within("the last answers", site.WebServer.ErrorLog.ToString, TimeSpan.FromMinutes(2));
        return _answers.CountBy(static status => status).ToDictionary();
    }

    private void Ask(HttpClient client, string path, int count)
    {
        for (var i = 0; i < count; i++)
        {
            _requests.Add(AskAsync(client, new Uri(path, UriKind.Relative)));
        }
    }

    private async Task AskAsync(HttpClient client, Uri path)
    {
        using var answer = await client.GetAsync(path);
        _answers.Add(answer.StatusCode);
    }

    /// <summary>A WebSocket with a message each second.</summary>
    private async Task TalkAsync(TimeSpan length)
    {
        await using var socket = await SocketClient.ConnectAsync(site.WebServer, "/socket");
        using var timer = new PeriodicTimer(TimeSpan.FromSeconds(1));
        for (var second = 0; second < length.TotalSeconds; second++)
        {
            await socket.SendTextAsync("ping");
            Assert.Equal("ping", await socket.ReceiveTextAsync());
            await timer.WaitForNextTickAsync();
        }

        await socket.CloseAsync();
    }
}
