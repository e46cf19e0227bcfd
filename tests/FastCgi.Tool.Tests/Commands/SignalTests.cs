using FastCgi.Tool.Tests.Running;

namespace FastCgi.Tool.Tests.Commands;

/// <summary>Commands as processes of their own: Ctrl+C and SIGTERM end them in order.</summary>
public sealed class SignalTests
{
    private static readonly TimeSpan s_startDeadline = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Params_ends_with_status_0_and_its_socket_goes(bool isInterrupt)
    {
        using var directory = new WorkDirectory();
        var socket = directory.File("app.sock");
        await using var process = Start(directory, "params", $"unix:{socket}");
        await WaitForAsync(process, "listening on");
        Assert.True(File.Exists(socket));

        Assert.Equal(ExitCode.Success, await EndAsync(process, isInterrupt));
        Assert.Empty(Directory.GetFiles(directory.Path));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Serve_ends_with_status_0_after_the_running_request(bool isInterrupt)
    {
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var goOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var server = await FunctionalServer.StartAsync(ServerTransport.EpollOnUnix, async context =>
        {
            begun.SetResult();
            await goOn.Task;
            await context.Response.WriteAsync("whole");
        });
        using var directory = new WorkDirectory();
        await using var process = Start(directory, "serve", server.Address, "--listen", "http://127.0.0.1:0");
        var line = await WaitForAsync(process, " serves ");
        using var client = new HttpClient();
        var answer = client.GetStringAsync(new Uri(line.Split(' ')[0]));
        await begun.Task.Within("the request", process.Log.ToString);

        var ended = EndAsync(process, isInterrupt);
        goOn.SetResult();

        Assert.Equal("whole", await answer.Within("the answer", process.Log.ToString));
        Assert.Equal(ExitCode.Success, await ended);
    }

    /// <summary>On a terminal, where the bar hides the cursor.</summary>
    [Theory]
    [InlineData("INT")]
    [InlineData("TERM")]
    public async Task Bench_shows_the_cursor_again(string signal)
    {
        await using var server = await EchoApplication.StartAsync();
        using var directory = new WorkDirectory();
        var bench = $"{RunTool.Program} bench {server.Address} / --duration 600";
        await using var terminal = ChildProcess.Start(
            InstalledProgram.Find("script"),
            [
                "--quiet", "--return", "--command",
                $"echo pid $$; exec env --unset=NO_COLOR --default-signal=INT {bench}",
                "/dev/null",
            ],
            directory.Path,
            new Dictionary<string, string> { ["TERM"] = "xterm" });
        var id = (await WaitForAsync(terminal, "pid ")).Split(' ')[1];
        await WaitForAsync(terminal, "\e[?25l");

        await using var kill = ChildProcess.Start("kill", ["-s", signal, id], directory.Path);
        await terminal.WaitAsync("the end of the command");

        Assert.Contains("\e[?25h", terminal.Log.ToString(), StringComparison.Ordinal);
    }

    /// <summary>The shell that runs the tests may ignore Ctrl+C, and what it starts does too.</summary>
    private static ChildProcess Start(WorkDirectory directory, params string[] arguments) =>
        ChildProcess.Start("env", ["--default-signal=INT", RunTool.Program, .. arguments], directory.Path);

    private static Task<string> WaitForAsync(ChildProcess process, string text) =>
        process.Log.FirstAsync(line => line.Contains(text, StringComparison.Ordinal))
            .Within($"'{text}'", process.Log.ToString, s_startDeadline);

    private static Task<int> EndAsync(ChildProcess process, bool isInterrupt)
    {
        if (isInterrupt)
        {
            process.Interrupt();
            return process.WaitAsync("the end of the command");
        }

        return process.StopAsync();
    }
}
