using System.Net.Http.Json;
using System.Text.Json;

namespace FastCgi.WebServerTests.Deployment;

/// <summary>Debian's Prometheus with the scrape of docs/monitoring.md, once a second and of another address.</summary>
internal sealed class PrometheusServer : IAsyncDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(1);

    private readonly WorkDirectory _directory;
    private readonly ChildProcess _process;
    private readonly HttpClient _api;

    private PrometheusServer(WorkDirectory directory, ChildProcess process, int port)
    {
        _directory = directory;
        _process = process;
        _api = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{port}/api/v1/") };
    }

    public string Log => _process.Log.ToString();

    public static async Task<PrometheusServer> StartAsync(string target)
    {
        var program = InstalledProgram.Find("prometheus");
        var page = Path.Combine(Repository.Root, "docs", "monitoring.md");
        var scrape = Assert.Single(MarkdownBlocks.Read(page, "yaml"))
            .Replace("127.0.0.1:8081", target, StringComparison.Ordinal);
        var directory = new WorkDirectory();
        var file = directory.File("prometheus.yml");
        await File.WriteAllTextAsync(file, $"global:\n  scrape_interval: 1s\n{scrape}");
        var port = FreePort.Take();
        var process = ChildProcess.Start(
            program,
            [$"--config.file={file}", $"--storage.tsdb.path={directory.File("data")}",
                $"--web.listen-address=127.0.0.1:{port}"],
            directory.Path);
        var ready = process.Log.FirstAsync(static line => line.Contains("Server is ready", StringComparison.Ordinal));
        await Task.WhenAny(ready, process.Ended).Within("the start of Prometheus", process.Log.ToString, _patience);
        Assert.True(ready.IsCompleted, process.Log.ToString());
        return new PrometheusServer(directory, process, port);
    }

    /// <summary>Asks the API.</summary>
    /// <returns>The list <c>data.result</c>.</returns>
    public async Task<JsonElement[]> AskAsync(string resource, params (string Name, string Value)[] parameters)
    {
        var query = string.Join('&', parameters.Select(static one => $"{one.Name}={Uri.EscapeDataString(one.Value)}"));
        var answer = await _api.GetFromJsonAsync<JsonElement>(new Uri($"{resource}?{query}", UriKind.Relative));
        Assert.Equal("success", answer.GetProperty("status").GetString());
        return [.. answer.GetProperty("data").GetProperty("result").EnumerateArray()];
    }

    public async ValueTask DisposeAsync()
    {
        _api.Dispose();
        await _process.DisposeAsync();
        _directory.Dispose();
    }
}
