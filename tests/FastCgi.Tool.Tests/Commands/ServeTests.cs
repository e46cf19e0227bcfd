using System.Net;
using FastCgi.Gateway.Tests.Php;

namespace FastCgi.Tool.Tests.Commands;

public sealed class ServeTests
{
    /// <summary>An address of another machine: a command that tries to listen there ends with another status.</summary>
    private const string ForeignAddress = "http://192.0.2.1:80";

    [Fact]
    public async Task An_application_is_served_over_HTTP()
    {
        await using var server = await EchoApplication.StartAsync();
        await using var served = await ServedTool.StartAsync(server.Address);

        using var response = await served.Client.PostAsync("/a%2Fb/x.php?y=1", new StringContent("sent"));
        var text = await response.Content.ReadAsStringAsync();

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Contains("target=/a%2Fb/x.php?y=1", text, StringComparison.Ordinal);
        Assert.EndsWith("body=sent", text, StringComparison.Ordinal);
        await served.Run.WaitForAsync("200 POST /a%2Fb/x.php?y=1");
    }

    [Fact]
    public async Task PHP_and_its_files_are_served_with_a_front_controller()
    {
        using var directory = new WorkDirectory();
        var root = directory.Subdirectory("www");
        await File.WriteAllTextAsync(Path.Combine(root, "index.php"), "<?php echo 'front ' . $_SERVER['REQUEST_URI'];");
        await File.WriteAllTextAsync(Path.Combine(root, "style.css"), "p {}");
        await using var php = await PhpFpm.StartAsync(directory);
        await using var served = await ServedTool.StartAsync(
            php.Endpoint, "--root", root, "--front-controller", "/index.php", "--quiet");

        Assert.Equal("front /posts/1", await served.Client.GetStringAsync("/posts/1"));
        Assert.Equal("p {}", await served.Client.GetStringAsync("/style.css"));
    }

    [Fact]
    public async Task A_warning_of_the_gateway_is_a_line()
    {
        await using var server = await EchoApplication.StartAsync();
        await using var served = await ServedTool.StartAsync(server.Address);

        (await served.Client.GetAsync("/?stderr")).Dispose();

        Assert.StartsWith("fcgi: warning: ", await served.Run.WaitForAsync("a complaint"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_application_that_is_not_there_is_a_502()
    {
        using var directory = new WorkDirectory();
        await using var served = await ServedTool.StartAsync($"unix:{directory.File("none.sock")}");

        using var response = await served.Client.GetAsync("/");

        Assert.Equal(HttpStatusCode.BadGateway, response.StatusCode);
        await served.Run.WaitForAsync("none.sock");
    }

    [Theory]
    [InlineData("--front-controller", "index.php")]
    [InlineData("--front-controller", "/none.php")]
    [InlineData("--script-root", "www")]
    public async Task An_option_for_scripts_that_names_none_is_status_2(string option, string value)
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(directory.File("index.php"), "");

        var run = await ToolRun.OfAsync(
            "serve", "127.0.0.1:9000", "--listen", ForeignAddress, "--root", directory.Path, option, value);

        run.Fails(ExitCode.Usage, $"{option} '{value}'");
        Assert.DoesNotContain("unexpected", run.Error, StringComparison.Ordinal);
    }
}
