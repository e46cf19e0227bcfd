using FastCgi.Tool.Tests.Running;

namespace FastCgi.Tool.Tests.Packaging;

public sealed class PackedToolTests
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(5);

    [Fact]
    public async Task The_packed_tool_is_installed_and_runs()
    {
        using var directory = new WorkDirectory();
        var feed = directory.Subdirectory("feed");
        await RunAsync(
            "dotnet",
            directory,
            
            [
                "pack",
                Path.Combine(Repository.Root, "src/FastCgi.Tool"),
                "--no-build",
                "-c",
                Configuration,
                "-o",
                feed,
                "--nologo",
            ]);
        await File.WriteAllTextAsync(
            directory.File("NuGet.Config"),
            "<configuration><packageSources><clear /></packageSources></configuration>");

        var tools = directory.File("tools");
        await RunAsync(
            "dotnet",
            directory,
            ["tool", "install", "FastCgi.Tool", "--tool-path", tools, "--add-source", feed,
                "--configfile", directory.File("NuGet.Config")]);
        await using var server = await EchoApplication.StartAsync();
        var answer = await RunAsync(
            Path.Combine(tools, "fcgi"), directory, ["get", server.Address, "/from-the-package"]);

        // A startup hook that is missing would end the process.
        var console = await RunAsync(
            Path.Combine(tools, "fcgi"), directory, ["run", RunTool.RunApp, "--", "console"]);

        Assert.Contains("target=/from-the-package", answer, StringComparison.Ordinal);
        Assert.Contains("no host at all", console, StringComparison.Ordinal);
    }

    private static string Configuration => new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;

    private static async Task<string> RunAsync(string program, WorkDirectory directory, string[] arguments)
    {
        var environment = new Dictionary<string, string>(BuildEnvironment.In(directory))
        {
            // A package of the same version from an earlier run is not to be found.
            ["NUGET_PACKAGES"] = directory.Subdirectory("packages"),
        };
        if (arguments[0] == "pack")
        {
            environment.Remove("NUGET_PACKAGES");
        }

        await using var process = ChildProcess.Start(program, arguments, directory.Path, environment);
        var code = await process.WaitAsync($"{program} {arguments[0]}", s_deadline);
        Assert.True(code == 0, process.Log.ToString());
        return process.Log.ToString();
    }
}
