using System.Net.Http.Json;
using System.Text.Json;

namespace FastCgi.WebServerKit.Browsers;

/// <summary>Debian's chromedriver, which drives a Chromium by the W3C's WebDriver protocol: JSON over HTTP.</summary>
internal sealed class ChromeDriver : IAsyncDisposable
{
    /// <summary>Starting a browser on a busy machine takes a while.</summary>
    private static readonly TimeSpan _deadline = TimeSpan.FromMinutes(2);

    private readonly ChildProcess _process;
    private readonly HttpClient _http;

    private ChromeDriver(ChildProcess process, int port)
    {
        _process = process;
        _http = new HttpClient(new SocketsHttpHandler { UseProxy = false })
        {
            BaseAddress = new Uri($"http://127.0.0.1:{port}/"),
            Timeout = Deadline.Of(_deadline),
        };
    }

    /// <param name="directory">Where it and the browser may write.</param>
    public static async Task<ChromeDriver> StartAsync(WorkDirectory directory)
    {
        // Left to choose, it takes a free port of ::1, and the same number of 127.0.0.1, which a client may have.
        var port = FreePort.Take();
        var program = InstalledProgram.Find("chromedriver");
        var environment = new Dictionary<string, string> { ["TMPDIR"] = directory.Path };
        var process = ChildProcess.Start(program, [$"--port={port}"], directory.Path, environment);
        return await new ChromeDriver(process, port).StartedAsync(
            _ => process.WaitForStartAsync("chromedriver", _deadline, "started successfully"));
    }

    /// <summary>Sends a command; its failure fails the test.</summary>
    /// <param name="body">Null for a command without one, which is a GET or a DELETE.</param>
    /// <returns>The answer's value.</returns>
    public async Task<JsonElement> SendAsync(HttpMethod method, string command, object? body = null)
    {
        var (succeeded, value) = await AskAsync(method, command, body);
        Assert.True(succeeded, $"{method} {command} {JsonSerializer.Serialize(body)}: {value}");
        return value;
    }

    /// <summary>Sends a command; any failure but that the page went away meanwhile fails the test.</summary>
    /// <returns>The answer's value; null where the page went away.</returns>
    public async Task<JsonElement?> TrySendAsync(HttpMethod method, string command, object? body = null)
    {
        var (succeeded, value) = await AskAsync(method, command, body);
        if (!succeeded && value.ToString().Contains("aborted by navigation", StringComparison.Ordinal))
        {
            return null;
        }

        Assert.True(succeeded, $"{method} {command} {JsonSerializer.Serialize(body)}: {value}");
        return value;
    }

    private async Task<(bool Succeeded, JsonElement Value)> AskAsync(HttpMethod method, string command, object? body)
    {
        using var request = new HttpRequestMessage(method, new Uri(command, UriKind.Relative));
        if (body is not null)
        {
            request.Content = JsonContent.Create(body);
            // chromedriver does not take chunks.
            await request.Content.LoadIntoBufferAsync();
        }

        using var response = await _http.SendAsync(request)
            .Within($"{method} {command}", _process.Log.ToString, _deadline);
        var answer = await response.Content.ReadFromJsonAsync<JsonElement>().Within($"the answer to {command}");
        return (response.IsSuccessStatusCode, answer.GetProperty("value"));
    }

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _process.DisposeAsync();
    }
}
