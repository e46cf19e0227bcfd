namespace FastCgi.WebServerTests.Deployment.Dashboards;

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
        _api = new HttpClient
        {
            BaseAddress = new Uri($"http://127.0.0.1:{port}/api/v1/"),
            Timeout = Deadline.Of(_patience),
        };
    }

    public string Log => _process.Log.ToString();

    public static async Task<PrometheusServer> StartAsync(string target)
    {
        var program = InstalledProgram.Find("prometheus");
        var page = Path.Combine(Repository.Root, "docs", "monitoring.md");
        var scrape = Assert.Single(MarkdownBlocks.Read(page, "yaml"))
            .With("127.0.0.1:8081", target);
        var directory = new WorkDirectory();
        var file = directory.File("prometheus.yml");
        await File.WriteAllTextAsync(file, $"global:\n  scrape_interval: 1s\n{scrape}");
        var port = FreePort.Take();
        var process = ChildProcess.Start(
            program,
            [$"--config.file={file}", $"--storage.tsdb.path={directory.File("data")}",
                $"--web.listen-address=127.0.0.1:{port}"],
            directory.Path);
        return await new PrometheusServer(directory, process, port).StartedAsync(
            _ => process.WaitForStartAsync("Prometheus", _patience, "Server is ready"));
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
