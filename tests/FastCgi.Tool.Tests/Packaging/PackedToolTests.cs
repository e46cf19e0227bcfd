using FastCgi.Tool.Tests.Running;

namespace FastCgi.Tool.Tests.Packaging;

public sealed class PackedToolTests
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(5);

    /// <summary>By the command of docs/kubernetes/Containerfile, where another source has a higher version.</summary>
    [Fact]
    public async Task The_packed_tool_is_installed_and_runs()
    {
        using var directory = new WorkDirectory();
        var feed = directory.Subdirectory("feed");
        var other = directory.Subdirectory("other");
        await PackAsync(directory, feed);
        await PackAsync(directory, other, "-p:PackageVersion=9.9.9");
        await File.WriteAllTextAsync(
            directory.File("NuGet.Config"),
            $"""<configuration><packageSources><clear /><add key="other" value="{other}" /></packageSources></configuration>""");

        var tools = directory.File("tools");
        var lines = await File.ReadAllLinesAsync(Path.Combine(Repository.Root, "docs", "kubernetes", "Containerfile"));
        var install = Assert.Single(lines, static line => line.Contains("tool install", StringComparison.Ordinal));
        await RunAsync(
            "dotnet",
            directory,
            [.. install.Split(' ', StringSplitOptions.RemoveEmptyEntries).SkipWhile(static word => word != "tool")
                .Select(word => word == "/tools" ? tools : word == "/packages" ? feed : word)]);
        Assert.DoesNotContain(
            "9.9.9", await RunAsync("dotnet", directory, ["tool", "list", "--tool-path", tools]), StringComparison.Ordinal);
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

    private static Task<string> PackAsync(WorkDirectory directory, string feed, params string[] properties) => RunAsync(
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
            .. properties,
        ]);

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
