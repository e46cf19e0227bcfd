using System.Net;
using FastCgi.WebServerKit;

namespace FastCgi.Tool.Tests.Running;

/// <summary>Applications of the SDK's templates, published as they are, behind nginx.</summary>
public sealed class TemplateTests
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(5);

    [Theory]
    [InlineData("mvc", "/lib/bootstrap/dist/css/bootstrap.min.css")]
    [InlineData("blazor", "/_framework/blazor.web.js")]
    public async Task A_template_runs_without_being_recompiled(string template, string file)
    {
        using var directory = new WorkDirectory();
        await DotnetAsync(
            directory, "new", template, "--name", "Site", "--output", directory.File("Site"), "--no-restore");
        await DotnetAsync(
            directory, "publish", directory.File("Site"), "-c", "Release", "-o", directory.File("out"), "--nologo",
            "-p:UseSharedCompilation=false");
        await using var run = await RunTool.StartAsync(directory.File("out/Site.dll"));
        var socket = run.Endpoint["unix:".Length..];
        await using var nginx = await NginxSite.StartAsync(
            IBackEnd.Of(BackEndKind.FastCgi), NginxSettings.Default, socket);
        using var client = TestClient.Create(nginx.EndPoint);

        var page = await client.GetStringAsync("/");
        using var asset = await client.GetAsync(file);
        using var missing = await client.GetAsync("/no/such/page");

        Assert.Contains("<!DOCTYPE html>", page, StringComparison.OrdinalIgnoreCase);
        Assert.Equal(HttpStatusCode.OK, asset.StatusCode);
        Assert.True((await asset.Content.ReadAsByteArrayAsync()).Length > 10_000);
        Assert.Equal(HttpStatusCode.NotFound, missing.StatusCode);
        Assert.Equal(0, await run.Process.StopAsync());
    }

    private static async Task DotnetAsync(WorkDirectory directory, params string[] arguments)
    {
        var environment = new Dictionary<string, string>(BuildEnvironment.In(directory))
        {
            ["DOTNET_CLI_HOME"] = directory.Subdirectory("home"),
        };
        await using var process = ChildProcess.Start("dotnet", arguments, directory.Path, environment);
        Assert.True(await process.WaitAsync($"dotnet {arguments[0]}", s_deadline) == 0, process.Log.ToString());
    }
}
