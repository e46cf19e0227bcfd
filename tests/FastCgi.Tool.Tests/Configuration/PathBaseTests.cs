namespace FastCgi.Tool.Tests.Configuration;

/// <summary>Web server and application agree on where the application is mounted.</summary>
public sealed class PathBaseTests
{
    [Fact]
    public async Task An_option_that_the_settings_contradict_is_status_2()
    {
        var run = await RunAsync("/app", "--path-base", "/shop");

        run.Fails(ExitCode.Usage, "/shop", "PathBase '/app'");
        Assert.Equal("", run.Output);
    }

    [Theory]
    [InlineData("/app", "/app")]
    [InlineData("/app/", "/app")]
    [InlineData("/app", "/app/")]
    [InlineData("/App", "/app")]
    public async Task An_option_that_says_the_same_is_taken(string settings, string option)
    {
        var run = await RunAsync(settings, "--path-base", option);

        Assert.Contains("location /app/ {", run.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("ASPNETCORE_PATHBASE", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/")]
    [InlineData("//")]
    [InlineData("")]
    public async Task The_root_in_the_settings_is_no_path_base(string settings)
    {
        var mounted = await RunAsync(settings, "--path-base", "/shop");
        var root = await RunAsync(settings);

        Assert.Contains("fastcgi_param ASPNETCORE_PATHBASE /shop;", mounted.Output, StringComparison.Ordinal);
        Assert.Contains("location / {", root.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("ASPNETCORE_PATHBASE", root.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/")]
    [InlineData("//")]
    public async Task The_root_as_the_option_is_no_path_base(string option)
    {
        var run = await ToolRun.OfAsync("config", "nginx", "--path-base", option);

        Assert.Contains("location / {", run.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("ASPNETCORE_PATHBASE", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_path_base_of_the_settings_that_the_server_refuses_is_status_2()
    {
        var run = await RunAsync("app");

        run.Fails(ExitCode.Usage, "FastCgi:PathBase 'app'");
    }

    private static async Task<ToolRun> RunAsync(string pathBase, params string[] arguments)
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(
            directory.File("appsettings.json"), $$"""{ "FastCgi": { "PathBase": "{{pathBase}}" } }""");
        return await ToolRun.OfAsync(
            ["config", "nginx", "--settings", directory.File("appsettings.json"), .. arguments]);
    }
}
