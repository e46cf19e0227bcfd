namespace FastCgi.Tool.Tests.Harness;

/// <summary>fcgi serve on a free port, and a client for it.</summary>
internal sealed class ServedTool : IAsyncDisposable
{
    private readonly Task _ended;
    private readonly CancellationTokenSource _stop;

    private ServedTool(ToolRun run, Task ended, CancellationTokenSource stop, Uri address)
    {
        Run = run;
        _ended = ended;
        _stop = stop;
        Client = new HttpClient { BaseAddress = address, Timeout = Deadline.Default };
    }

    public ToolRun Run { get; }

    public HttpClient Client { get; }

    public static async Task<ServedTool> StartAsync(string endpoint, params string[] arguments)
    {
        var (run, ended, stop) = ToolRun.Start(["serve", endpoint, "--listen", "http://127.0.0.1:0", .. arguments]);
        var line = await run.WaitForAsync(" serves ");
        return new ServedTool(run, ended, stop, new Uri(line.Split(' ')[0]));
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _stop.CancelAsync();
        await _ended.Within("the end of fcgi serve", () => Run.Error);
        _stop.Dispose();
        Assert.Equal(0, Run.ExitCode);
    }
}
