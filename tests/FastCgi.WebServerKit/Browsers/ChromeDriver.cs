using System.Net.Http.Json;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace FastCgi.WebServerKit.Browsers;

/// <summary>Debian's chromedriver, which drives a Chromium by the W3C's WebDriver protocol: JSON over HTTP.</summary>
internal sealed partial class ChromeDriver : IAsyncDisposable
{
    /// <summary>Starting a browser on a busy machine takes a while.</summary>
    private static readonly TimeSpan _deadline = TimeSpan.FromMinutes(2);

    private const int StartAttempts = 5;

    private readonly ChildProcess _process;
    private readonly HttpClient _http;

    private ChromeDriver(ChildProcess process, int port)
    {
        _process = process;
        _http = new HttpClient(new SocketsHttpHandler { UseProxy = false })
        {
            BaseAddress = new Uri($"http://127.0.0.1:{port}/"),
            Timeout = _deadline,
        };
    }

    /// <param name="directory">Where it and the browser may write.</param>
    /// <remarks>
    /// With port 0 it takes a free port of ::1 and then the same number of 127.0.0.1, where it may be taken: it ends then,
    /// and the next one gets another number.
    /// </remarks>
    public static async Task<ChromeDriver> StartAsync(WorkDirectory directory)
    {
        for (var attempt = 1; ; attempt++)
        {
            var process = Start(directory);
            try
            {
                if (await PortAsync(process) is { } port)
                {
                    return new ChromeDriver(process, port);
                }

                Assert.True(
                    attempt < StartAttempts && process.Log.ToString().Contains("port not available", StringComparison.Ordinal),
                    $"chromedriver ended at its start: {process.Log}");
            }
            catch
            {
                await process.DisposeAsync();
                throw;
            }

            await process.DisposeAsync();
        }
    }

    private static ChildProcess Start(WorkDirectory directory)
    {
        var environment = new Dictionary<string, string> { ["TMPDIR"] = directory.Path };
        return ChildProcess.Start(InstalledProgram.Find("chromedriver"), ["--port=0"], directory.Path, environment);
    }

    /// <summary>The port that it serves; null if it ended instead.</summary>
    private static async Task<int?> PortAsync(ChildProcess process)
    {
        var started = process.Log.FirstAsync(line => StartedMessage().IsMatch(line));
        await Task.WhenAny(started, process.Ended).Within("chromedriver's start", process.Log.ToString, _deadline);
        return started.IsCompleted ? int.Parse(StartedMessage().Match(await started).Groups[1].Value, null) : null;
    }

    /// <summary>Sends a command; its failure fails the test.</summary>
    /// <param name="body">Null for a command without one, which is a GET or a DELETE.</param>
    /// <returns>The answer's value.</returns>
    public async Task<JsonElement> SendAsync(HttpMethod method, string command, object? body = null)
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
        var value = answer.GetProperty("value");
        Assert.True(response.IsSuccessStatusCode, $"{method} {command} {JsonSerializer.Serialize(body)}: {value}");
        return value;
    }

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _process.DisposeAsync();
    }

    [GeneratedRegex(@"started successfully on port (\d+)")]
    private static partial Regex StartedMessage();
}
