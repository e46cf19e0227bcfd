using System.Collections.Concurrent;

namespace FastCgi.FunctionalTests.Oracle;

/// <summary>
/// Random handlers on Kestrel and on this server: each call has the same result, and the client gets the same response.
/// FASTCGI_FUZZ_SEED is the first of them. FASTCGI_HANDLERS says how many: 1,000. FASTCGI_ABORTED_HANDLERS says how many
/// have an abort in the middle, and FASTCGI_UPGRADED_HANDLERS how many upgrade their connection: 100 each.
/// </summary>
public sealed class RandomHandlerTests : IAsyncLifetime
{
    private const string FormType = "application/x-www-form-urlencoded";

    /// <summary>The file that handlers send: 100 bytes.</summary>
    internal static readonly string File = Path.Combine(Path.GetTempPath(), $"fcgi-{Guid.NewGuid()}");

    private readonly ConcurrentDictionary<string, Run> _runs = new();
    private BothServers? _servers;

    public async ValueTask InitializeAsync()
    {
        await System.IO.File.WriteAllBytesAsync(File, new byte[100]);
        _servers = await BothServers.StartAsync(
            HandleAsync, options => options.ConfigureEndpointDefaults(endpoint => endpoint.AllowUpgrade = true));
    }

    public async ValueTask DisposeAsync()
    {
        await _servers!.DisposeAsync();
        System.IO.File.Delete(File);
    }

    [Fact]
    public Task A_handler_does_what_it_does_on_Kestrel() =>
        CompareAsync("FASTCGI_HANDLERS", 1000, RandomHandler.Make, AskKestrelAsync, AskFastCgiAsync);

    [Fact]
    public Task A_handler_of_an_aborted_request_does_what_it_does_on_Kestrel() => CompareAsync(
        "FASTCGI_ABORTED_HANDLERS", 100, RandomHandler.MakeAborted, LeaveKestrelAsync, LeaveFastCgiAsync);

    [Fact]
    public Task A_handler_of_an_upgraded_request_does_what_it_does_on_Kestrel() => CompareAsync(
        "FASTCGI_UPGRADED_HANDLERS", 100, RandomHandler.MakeUpgraded, UpgradeKestrelAsync, UpgradeFastCgiAsync);

    private Task CompareAsync(
        string variable, int usual, Func<int, RandomHandler> make, Func<string, Run, Task<string>> askKestrel,
        Func<string, Run, Task<string>> askFastCgi)
    {
        // Handlers throw on purpose.
        _servers!.FastCgi.Logs.AllowErrors();
        return SeededChoices.TryAllAsync(variable, usual, "FastCgi.FunctionalTests", async seed =>
        {
            var handler = make(seed);
            var expected = await RunAsync($"/kestrel/{seed}", handler, askKestrel);
            var actual = await RunAsync($"/fastcgi/{seed}", handler, askFastCgi);
            Assert.True(expected == actual, $"Handler {seed}: {handler}\nKestrel:\n{expected}\nThis server:\n{actual}");
        });
    }

    private async Task<string> RunAsync(string path, RandomHandler handler, Func<string, Run, Task<string>> ask)
    {
        var run = _runs[path] = new Run(handler);
        var answer = await ask(path, run).Within($"the answer of {path}: {handler}");
        return string.Join('\n', [answer, .. run.Notes]);
    }

    private async Task HandleAsync(HttpContext context)
    {
        var run = _runs[context.Request.Path.Value!];
        context.Response.OnCompleted(() =>
        {
            run.Completed.TrySetResult();
            return Task.CompletedTask;
        });
        context.Items["leave"] = (Action)run.Leave;
        await run.Handler.RunAsync(context, run.Notes.Enqueue);
        run.Notes.Enqueue("end");
    }

    private async Task<string> AskKestrelAsync(string path, Run run)
    {
        // The client keeps its connection until the handler has ended: Kestrel drops what is written to one that is gone.
        using var client = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false });
        var answer = "no response";
        try
        {
            using var response = await client.SendAsync(
                new HttpRequestMessage(HttpMethod.Post, new Uri(_servers!.Kestrel, path))
                {
                    Content = new ByteArrayContent(new byte[run.Handler.BodySize]),
                },
                HttpCompletionOption.ResponseHeadersRead);
            var headers = response.Headers.Concat(response.Content.Headers)
                .Select(static header => (header.Key, string.Join(", ", header.Value)));
            answer = Describe((int)response.StatusCode, headers, await ReadAsync(response.Content));
            await run.Completed.Task;
        }
        catch (HttpRequestException)
        {
            // No head has come.
        }

        return answer;
    }

    /// <summary>Null for a body that broke off.</summary>
    private static async Task<string?> ReadAsync(HttpContent content)
    {
        try
        {
            return await content.ReadAsStringAsync();
        }
        catch (HttpRequestException)
        {
            return null;
        }
    }

    private async Task<string> AskFastCgiAsync(string path, Run run)
    {
        await using var peer = await _servers!.FastCgi.ConnectAsync();
        await peer.SendAsync(new RecordBuilder().Request(new RequestScript
        {
            Method = "POST",
            Target = path,
            Body = new byte[run.Handler.BodySize],
            KeepConnection = false,
        }));
        var response = CgiResponse.From(await peer.ExpectClosedAsync());
        await run.Completed.Task;
        return response.StatusCode == 0 ? "no response" : Describe(
            response.StatusCode, response.Headers, response.ProtocolStatus is null ? null : response.BodyText);
    }

    /// <summary>Sends half of the body, and leaves when the handler says so. No response is compared.</summary>
    private async Task<string> LeaveKestrelAsync(string path, Run run)
    {
        var body = run.Handler.BodySize == 0 ? "\r\n"
            : $"Content-Type: {FormType}\r\nContent-Length: {2 * run.Handler.BodySize}\r\n\r\n{new string('a', run.Handler.BodySize)}";
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, _servers!.Kestrel.Port);
        await socket.SendAsync(Encoding.ASCII.GetBytes($"POST {path} HTTP/1.1\r\nHost: h\r\n{body}"));
        await LeaveAsync(socket, run);
        return "";
    }

    private async Task<string> LeaveFastCgiAsync(string path, Run run)
    {
        await using var peer = await _servers!.FastCgi.ConnectAsync();
        var size = run.Handler.BodySize;
        var script = new RequestScript { Method = "POST", Target = path, Body = new byte[2 * size], Headers = [("Content-Type", FormType)] };
        var records = new RecordBuilder().Begin().Params(1, script.ToParams()).EndParams();
        await peer.SendAsync(size == 0 ? records.EndStdin() : records.Stdin(1, Encoding.ASCII.GetBytes(new string('a', size))));
        await LeaveAsync(peer.Socket, run);
        return "";
    }

    /// <summary>Reads what comes until the handler wants its client to leave, or ends.</summary>
    private static async Task LeaveAsync(Socket socket, Run run)
    {
        using var left = new CancellationTokenSource();
        var reading = ReadAsync();
        await Task.WhenAny(run.Left, run.Completed.Task);
        await left.CancelAsync();
        await reading;
        socket.LingerState = new LingerOption(enable: true, seconds: 0);
        socket.Close();
        await run.Completed.Task;

        async Task ReadAsync()
        {
            try
            {
                while (await socket.ReceiveAsync(new byte[4096], left.Token) > 0)
                {
                }
            }
            catch (Exception exception) when (exception is OperationCanceledException or SocketException)
            {
                // The client leaves, or the server was first.
            }
        }
    }

    private async Task<string> UpgradeKestrelAsync(string path, Run run)
    {
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, _servers!.Kestrel.Port);
        await using var stream = new NetworkStream(socket);
        await stream.WriteAsync(Encoding.ASCII.GetBytes(
            $"GET {path} HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: mine\r\n\r\n"));
        var answer = new byte[1];
        await stream.ReadExactlyAsync(answer);
        await stream.WriteAsync(new byte[10]);
        using var rest = new MemoryStream();
        var isWhole = true;
        try
        {
            await stream.CopyToAsync(rest);
        }
        catch (IOException)
        {
            isWhole = false;
        }

        await run.Completed.Task;
        var text = Encoding.Latin1.GetString([.. answer, .. rest.ToArray()]);
        return DescribeUpgraded(
            run, CgiResponse.From(Encoding.Latin1.GetBytes($"Status:{text["HTTP/1.1".Length..]}")), isWhole);
    }

    /// <summary>As lighttpd does it.</summary>
    private async Task<string> UpgradeFastCgiAsync(string path, Run run)
    {
        await using var peer = await _servers!.FastCgi.ConnectAsync();
        var script = new RequestScript
        {
            Target = path,
            Headers = [("Connection", "Upgrade"), ("Upgrade", "mine")],
            ExtraParams = [("CONTENT_LENGTH", "0")],
        };
        await peer.SendAsync(new RecordBuilder().Begin(keepConnection: false).Params(1, script.ToParams()).EndParams());
        var first = await peer.ExpectRecordAsync();
        await peer.SendAsync(new RecordBuilder().Stdin(1, new byte[10]));
        var rest = await peer.ExpectClosedAsync();
        await run.Completed.Task;
        var response = CgiResponse.From([first, .. rest]);
        return DescribeUpgraded(run, response, isWhole: response.ProtocolStatus is not null);
    }

    /// <summary>After an abort, bytes that were written before may be lost.</summary>
    private static string DescribeUpgraded(Run run, CgiResponse response, bool isWhole) =>
        Describe(response.StatusCode, response.Headers, isWhole && !run.Notes.Contains("abort") ? response.BodyText : null);

    /// <param name="headers">In any order.</param>
    /// <param name="body">Null for one that broke off.</param>
    private static string Describe(int status, IEnumerable<(string Name, string Value)> headers, string? body)
    {
        var sent = headers
            .Where(static header => header.Name is not ("Date" or "Server" or "Transfer-Encoding" or "Connection"))
            .GroupBy(static header => header.Name, static header => header.Value)
            .Select(static header => $"{header.Key}={string.Join(", ", header)}");
        var end = body is null ? "broken off" : $"{body.Length} bytes, {body.GetHashCode(StringComparison.Ordinal)}";
        return $"{status} ({string.Join("; ", sent.Order(StringComparer.Ordinal))}) {end}";
    }

    /// <summary>One handler on one server.</summary>
    private sealed record Run(RandomHandler Handler)
    {
        private readonly TaskCompletionSource _left = new(TaskCreationOptions.RunContinuationsAsynchronously);

        /// <summary>Completes if the handler wants its client to leave.</summary>
        public Task Left => _left.Task;

        public TaskCompletionSource Completed { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public ConcurrentQueue<string> Notes { get; } = new();

        public void Leave() => _left.SetResult();
    }
}
