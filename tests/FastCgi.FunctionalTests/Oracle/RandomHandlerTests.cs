using System.Collections.Concurrent;

namespace FastCgi.FunctionalTests.Oracle;

/// <summary>
/// Random handlers on Kestrel and on this server: each call has the same result, and the client gets the same response.
/// FASTCGI_FUZZ_SEED is the first of them, and FASTCGI_HANDLERS says how many: 1,000.
/// </summary>
public sealed class RandomHandlerTests : IAsyncLifetime
{
    /// <summary>The file that handlers send: 100 bytes.</summary>
    internal static readonly string File = Path.Combine(Directory.CreateTempSubdirectory("fcgi-").FullName, "file");

    private readonly ConcurrentDictionary<string, Run> _runs = new();
    private BothServers? _servers;

    public async ValueTask InitializeAsync()
    {
        await System.IO.File.WriteAllBytesAsync(File, new byte[100]);
        _servers = await BothServers.StartAsync(HandleAsync);
    }

    public async ValueTask DisposeAsync()
    {
        await _servers!.DisposeAsync();
        Directory.Delete(Path.GetDirectoryName(File)!, recursive: true);
    }

    [Fact]
    public async Task A_handler_does_what_it_does_on_Kestrel()
    {
        // Handlers throw on purpose.
        _servers!.FastCgi.Logs.ExpectError(_ => true);
        List<string> differences = [];
        var first = RunSettings.Number("FASTCGI_FUZZ_SEED") ?? 1;
        var count = RunSettings.Number("FASTCGI_HANDLERS") ?? 1000;
        for (var seed = first; seed < first + count; seed++)
        {
            var handler = RandomHandler.Make(seed);
            var expected = await RunAsync($"/kestrel/{seed}", handler, AskKestrelAsync);
            var actual = await RunAsync($"/fastcgi/{seed}", handler, AskFastCgiAsync);

            if (expected != actual)
            {
                differences.Add($"Handler {seed}: {handler}\nKestrel:\n{expected}\nThis server:\n{actual}\n");
            }
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));
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

    /// <param name="status">The status code.</param>
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

    private sealed record Run(RandomHandler Handler)
    {
        public TaskCompletionSource Completed { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public ConcurrentQueue<string> Notes { get; } = new();
    }
}
