using FastCgi.Tool.Tests.Doctor;

namespace FastCgi.Tool.Tests.Running;

/// <summary>Applications that know nothing of FastCGI serve it, or are refused by name.</summary>
public sealed class RunTests
{
    /// <summary>It is named by its assembly or by the program beside that, and knows each way to make a host.</summary>
    [Theory]
    [InlineData(".dll", "a")]
    [InlineData("", "url")]
    [InlineData(".dll", "webhost")]
    public async Task An_application_serves_FastCGI_in_place_of_HTTP(string extension, string mode)
    {
        await using var run = await RunTool.StartAsync(
            new Dictionary<string, string> { ["NOTIFY_SOCKET"] = "/no/such/socket" },
            Path.ChangeExtension(RunTool.RunApp, extension.Length > 0 ? extension : null), mode, "--two words");
        var socket = run.Endpoint["unix:".Length..];

        var text = await run.GetAsync("/a%20b");

        Assert.Equal("FastCgiServer", SeedSite.Line(text, "server"));
        Assert.Equal("/a b", SeedSite.Line(text, "path"));
        Assert.Equal("", SeedSite.Line(text, "hooks"));
        Assert.Equal("", SeedSite.Line(text, "startups"));
        Assert.Equal("", SeedSite.Line(text, "endpoint"));
        Assert.Equal($"{mode} --two words", SeedSite.Line(text, "arguments"));
        Assert.DoesNotContain(
            run.Process.Log.Lines,
            static line => line.Contains("Now listening on: http", StringComparison.Ordinal));
        Assert.Equal((UnixFileMode)0b110_000_000, File.GetUnixFileMode(socket));

        // The socket stays when the settings are read anew.
        run.Process.HangUp();
        await run.Process.Log.WaitForAsync("The configuration is applied.");
        Assert.Equal("/again", SeedSite.Line(await run.GetAsync("/again"), "path"));

        // A signal reaches the application, and its socket goes.
        Assert.Equal(0, await run.Process.StopAsync());
        Assert.False(File.Exists(socket));
        Assert.Contains(run.Process.Log.Lines, static line => line.Contains("shutting down", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("worker", "worker done")]
    [InlineData("console", "no host at all")]
    public async Task A_program_without_Kestrel_stays_as_it_is(string mode, string printed)
    {
        using var directory = new WorkDirectory();
        await using var process = ChildProcess.Start(
            RunTool.Program,
            ["run", RunTool.RunApp, "--listen", $"unix:{directory.File("a.sock")}", "--", mode],
            directory.Path);

        Assert.Equal(0, await process.WaitAsync("the end of the program", TimeSpan.FromSeconds(30)));
        Assert.Contains(process.Log.Lines, line => line.Contains(printed, StringComparison.Ordinal));
        Assert.False(File.Exists(directory.File("a.sock")));
    }

    [Fact]
    public async Task A_request_of_plain_CGI_is_answered()
    {
        using var directory = new WorkDirectory();
        await using var process = ChildProcess.Start(
            "bash",
            ["-c", "exec \"$0\" \"$@\" </dev/null 2>/dev/null", RunTool.Program, "run", RunTool.RunApp],
            directory.Path,
            new Dictionary<string, string>
            {
                ["GATEWAY_INTERFACE"] = "CGI/1.1",
                ["REQUEST_METHOD"] = "GET",
                ["REQUEST_URI"] = "/by-cgi",
                ["PATH_INFO"] = "/by-cgi",
                ["SERVER_PROTOCOL"] = "HTTP/1.1",
            });

        Assert.Equal(0, await process.WaitAsync("the end of the program", TimeSpan.FromSeconds(60)));
        Assert.Contains("Status: 200 OK", process.Log.Lines);
        Assert.Contains("path=/by-cgi", process.Log.Lines);
        Assert.DoesNotContain(process.Log.Lines, static line => line.StartsWith("info:", StringComparison.Ordinal));
    }

    /// <summary>LISTEN_FDS with LISTEN_PID: the socket stays, and the process id too.</summary>
    [Fact]
    public async Task The_socket_of_systemd_reaches_the_application()
    {
        var activate = InstalledProgram.Find("systemd-socket-activate");
        using var directory = new WorkDirectory();
        var socket = directory.File("activated.sock");
        await using var process = ChildProcess.Start(
            activate, ["--setenv=TMPDIR", "--listen", socket, RunTool.Program, "run", RunTool.RunApp], directory.Path, Kept());
        await process.Log.WaitForAsync("Listening on");

        // systemd starts the application when the first request waits in the socket.
        var run = await ToolRun.OfAsync("get", $"unix:{socket}", "/activated");

        Assert.Equal("/activated", SeedSite.Line(run.Output, "path"));
        Assert.Equal("FastCgiServer", SeedSite.Line(run.Output, "server"));
    }

    [Theory]
    [InlineData("{}", "has no web server to replace")]
    [InlineData("""
        { "framework": { "name": "Microsoft.NETCore.App", "version": "10.0.0" } }
        """, "has no web server to replace")]
    [InlineData("""
        { "framework": { "name": "Microsoft.AspNetCore.App", "version": "8.0.0" } }
        """, "runs on Microsoft.AspNetCore.App 8.0.0")]
    [InlineData("""
        { "includedFrameworks": [ { "name": "Microsoft.AspNetCore.App", "version": "9.0.1" } ], "rollForward": "Major" }
        """, "runs on Microsoft.AspNetCore.App 9.0.1")]
    [InlineData("""
        {
            "framework": { "name": "Microsoft.AspNetCore.App", "version": "10.0.0" },
            "configProperties": { "System.StartupHookProvider.IsSupported": false }
        }
        """, "was trimmed, or its startup hooks are switched off")]
    [InlineData("no JSON", "cannot be read")]
    public async Task An_application_that_cannot_take_the_hook_is_refused(string options, string message)
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(directory.File("App.dll"), "");
        await File.WriteAllTextAsync(
            directory.File("App.runtimeconfig.json"), $$"""{ "runtimeOptions": {{options}} }""");

        var run = await ToolRun.OfAsync("run", directory.File("App.dll"));

        run.Fails(ExitCode.Usage, message);
    }

    [Fact]
    public async Task What_is_no_published_application_is_refused()
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(directory.File("Single"), "");
        await File.WriteAllTextAsync(directory.File("Library.dll"), "");

        var missing = await ToolRun.OfAsync("run", directory.File("None.dll"));
        var single = await ToolRun.OfAsync("run", directory.File("Single"));
        var library = await ToolRun.OfAsync("run", directory.File("Library.dll"));
        var relative = await ToolRun.OfAsync("run", RunTool.RunApp, "--listen", "unix:app.sock");

        Assert.Contains("there is no application", missing.Error, StringComparison.Ordinal);
        Assert.Contains("it is a single file, or compiled by Native AOT", single.Error, StringComparison.Ordinal);
        Assert.Contains("Library.runtimeconfig.json", library.Error, StringComparison.Ordinal);
        Assert.Contains("unix:app.sock", relative.Error, StringComparison.Ordinal);
        Assert.All([missing, single, library, relative], static run => Assert.Equal(ExitCode.Usage, run.ExitCode));
    }

    [Theory]
    [InlineData]
    [InlineData("--listen", "127.0.0.1:9000")]
    public async Task A_mode_without_a_socket_file_is_refused(params string[] arguments)
    {
        using var directory = new WorkDirectory();
        await using var process = ChildProcess.Start(
            RunTool.Program, ["run", RunTool.RunApp, "--unix-mode", "0600", .. arguments, "--", "console"],
            directory.Path);

        Assert.Equal(ExitCode.Usage, await process.WaitAsync("the end of the program", TimeSpan.FromSeconds(30)));
        Assert.Contains(process.Log.Lines, static line => line.Contains("--unix-mode", StringComparison.Ordinal));
    }

    /// <summary>systemd-socket-activate passes only what it knows and these.</summary>
    private static Dictionary<string, string> Kept() => new() { ["DOTNET_CLI_TELEMETRY_OPTOUT"] = "1" };
}
