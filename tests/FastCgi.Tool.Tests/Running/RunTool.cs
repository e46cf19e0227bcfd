namespace FastCgi.Tool.Tests.Running;

/// <summary>fcgi run as a process of its own, on a unix socket of its own.</summary>
internal sealed class RunTool : IAsyncDisposable
{
    private static readonly TimeSpan s_startDeadline = TimeSpan.FromSeconds(60);

    private readonly WorkDirectory _directory;

    private RunTool(WorkDirectory directory, ChildProcess process)
    {
        _directory = directory;
        Process = process;
    }

    public ChildProcess Process { get; }

    public string Endpoint => EndpointIn(_directory);

    /// <summary>The program as it was built.</summary>
    public static string Program => Path.Combine(AppContext.BaseDirectory, "fcgi");

    public static string RunApp => Repository.BuiltTestProgram("FastCgi.RunApp");

    public static Task<RunTool> StartAsync(string application, params string[] arguments) =>
        StartAsync(new Dictionary<string, string>(), application, arguments);

    public static Task<RunTool> StartAsync(
        IReadOnlyDictionary<string, string> environment, string application, params string[] arguments)
    {
        var directory = new WorkDirectory();
        string[] all =
            ["run", application, "--listen", EndpointIn(directory), "--unix-mode", "0600", "--", .. arguments];
        return new RunTool(directory, ChildProcess.Start(Program, all, Path.GetDirectoryName(application)!, environment))
            .StartedAsync(run => run.Process.WaitForStartAsync(application, s_startDeadline));
    }

    public async Task<string> GetAsync(string target)
    {
        var run = await ToolRun.OfAsync("get", Endpoint, target);
        Assert.True(run.ExitCode == 0, run.Error);
        return run.Output;
    }

    public async ValueTask DisposeAsync()
    {
        await Process.DisposeAsync();
        _directory.Dispose();
    }

    private static string EndpointIn(WorkDirectory directory) => $"unix:{directory.File("app.sock")}";
}
