namespace FastCgi.Client.Tests.Oracle;

/// <summary>
/// Random requests end as by SocketsHttpHandler, and leave nothing for the next request. FASTCGI_FUZZ_SEED is the first
/// of them, and FASTCGI_REQUESTS says how many: 500.
/// </summary>
public sealed class RandomRequestTests
{
    /// <summary>More than any response has.</summary>
    private const int AllBytes = 300_000;

    [Fact]
    public async Task A_request_ends_as_over_HTTP()
    {
        await using var servers = await BothServers.StartAsync(AnswerAsync);
        using var http = new HttpClient(new SocketsHttpHandler()) { BaseAddress = servers.Kestrel };
        string endpoint = servers.FastCgi.Address;
        await TryAllAsync(
            [
                Client(endpoint, static options => options.KeepConnection = false),
                Client(endpoint, static options => options.MaxConnections = 1),
                Client(endpoint, static options => options.MaxConnections = 3),
                Client(endpoint, static options => options.MultiplexRequests = true),
            ],
            async (request, seed, actual) =>
            {
                if (request.IsComparable)
                {
                    string expected = await SendAsync(http, new RandomRequest(seed));
                    Assert.True(expected == actual, $"Request {seed}: {request}\nover HTTP: {expected}\nover FastCGI: {actual}");
                }
            });
    }

    /// <summary>The application answers before, in or behind the body, and then takes the rest, stops or closes.</summary>
    [Fact]
    public async Task A_response_is_whole_or_an_error_whenever_it_comes()
    {
        static void Connect(FastCgiHandlerOptions options) => options.ConnectCallback = RandomPeer.ConnectAsync;
        await TryAllAsync(
            [
                Client("app", options => Connect(options)),
                Client("app", options =>
                {
                    Connect(options);
                    options.MaxConnections = 1;
                }),
            ],
            static (request, seed, actual) =>
            {
                Assert.True(
                    request.Usage != "all" || actual.Contains("Exception", StringComparison.Ordinal)
                        || actual == Describe(200, RandomPeer.BodyOf(seed)),
                    $"Request {seed}: {request}\n{actual}");
                return Task.CompletedTask;
            });
    }

    private static async Task TryAllAsync(HttpClient[] clients, Func<RandomRequest, int, string, Task> check)
    {
        await SeededChoices.TryAllAsync("FASTCGI_REQUESTS", 500, "FastCgi.Client.Tests", async seed =>
        {
            var request = new RandomRequest(seed);
            HttpClient client = clients[request.Handler % clients.Length];
            (string beside, string next) = ($"/plain/{seed}/1", $"/plain/{seed}/2");
            Task<string> answering = client.GetStringAsync(beside);
            string outcome = await SendAsync(client, request);
            Assert.Equal(beside, await answering.Within("the answer beside it", request.ToString));
            Assert.Equal(next, await client.GetStringAsync(next).Within("the next answer", request.ToString));
            await check(request, seed, outcome);
        });
        Array.ForEach(clients, static client => client.Dispose());
    }

    private static HttpClient Client(string endpoint, Action<FastCgiHandlerOptions> configure)
    {
        var options = new FastCgiHandlerOptions { Endpoint = endpoint };
        configure(options);
        return new HttpClient(new FastCgiHandler(options)) { BaseAddress = new Uri("http://localhost/"), Timeout = Deadline.Default };
    }

    private static async Task<string> SendAsync(HttpClient client, RandomRequest request)
    {
        try
        {
            CancellationToken token = request.Cancellation.Token;
            using var response = await client.SendAsync(request.Message, HttpCompletionOption.ResponseHeadersRead, token)
                .Within("a response");
            Stream content = await response.Content.ReadAsStreamAsync(token);
            byte[] body = new byte[request.Usage switch { "nothing" => 0, "some" => 3, _ => AllBytes }];
            if (request.Usage == "cancel")
            {
                request.Cancellation.CancelAfter(1);
            }

            int read = await content.ReadAtLeastAsync(body, body.Length, throwOnEndOfStream: false, token).AsTask().Within("a body");
            return Describe((int)response.StatusCode, Encoding.ASCII.GetString(body, 0, read));
        }
        catch (Exception exception) when (exception is not Xunit.Sdk.XunitException)
        {
            // A FastCgiException has its reason itself.
            string own = (exception.InnerException ?? exception).Message == "own" ? ", the content's own" : "";
            return exception is FastCgiException ? nameof(HttpRequestException)
                : exception.InnerException is { } inner and not FastCgiException
                    ? $"{exception.GetType().Name} of {inner.GetType().Name}{own}"
                : exception.GetType().Name + own;
        }
    }

    private static string Describe(int status, string body) => $"{status}, {body.Length} bytes, {body[..Math.Min(40, body.Length)]}";

    private static async Task AnswerAsync(HttpContext context)
    {
        string path = context.Request.Path.Value!;
        try
        {
            switch (path.Split('/')[1])
            {
                case "echo":
                    await context.Request.Body.CopyToAsync(context.Response.Body);
                    return;
                case "part":
                    _ = await context.Request.Body.ReadAsync(new byte[3]);
                    break;
                case "late":
                    await context.Response.WriteAsync(path);
                    await context.Request.Body.CopyToAsync(Stream.Null);
                    break;
                case "read":
                    var body = new MemoryStream();
                    await context.Request.Body.CopyToAsync(body);
                    await context.Response.WriteAsync($"{context.Request.Method} {body.Length} ");
                    break;
                default:
                    break;
            }

            await context.Response.WriteAsync(path);
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // The client has given the request up.
            context.Abort();
        }
    }
}
