using System.Net;
using FastCgi.WebServerKit;

namespace FastCgi.Tool.Tests.Running;

/// <summary>Applications of the SDK's templates, published as they are, behind nginx.</summary>
public sealed class TemplateTests
{
    [Theory]
    [InlineData("mvc", "/lib/bootstrap/dist/css/bootstrap.min.css")]
    [InlineData("blazor", "/_framework/blazor.web.js")]
    public async Task A_template_runs_without_being_recompiled(string template, string file)
    {
        using var directory = new WorkDirectory();
        await Sdk.RunAsync(
            directory, directory.Path, "new", template, "--name", "Site", "--output", directory.File("Site"), "--no-restore");
        await Sdk.RunAsync(
            directory, directory.Path, "publish", directory.File("Site"), "-c", "Release", "-o", directory.File("out"),
            "--nologo", "-p:UseSharedCompilation=false");
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
}
