using FastCgi.WebServerKit;

namespace FastCgi.Tool.Tests.Configuration;

/// <summary>--listen is where the web server listens; it does not touch where the application does.</summary>
public sealed class ListenOptionTests
{
    [Theory]
    [InlineData("8000", "127.0.0.1:8080")]
    [InlineData("9000", "127.0.0.1:8080")]
    [InlineData("80", "127.0.0.1:9000")]
    public async Task H2o_does_not_confuse_the_ports_of_site_and_application(string listen, string endpoint)
    {
        using var directory = new WorkDirectory();

        var run = await ToolRun.OfAsync(
            "config", "h2o", "--listen", listen, "--endpoint", endpoint, "--output", directory.Path);

        Assert.True(run.ExitCode == 0, run.Error);
        var text = await File.ReadAllTextAsync(directory.File("h2o.yaml"));
        Assert.Contains($"listen:\n  port: {listen}\n", text, StringComparison.Ordinal);
        Assert.Contains($"          port: {endpoint.Split(':')[1]}\n", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Apache_does_not_confuse_the_addresses_of_site_and_application()
    {
        var run = await ToolRun.OfAsync(
            "config", "apache", "--listen", "127.0.0.1:9000", "--endpoint", "127.0.0.1:8080");

        Assert.Contains("<VirtualHost 127.0.0.1:9000>", run.Output, StringComparison.Ordinal);
        Assert.Contains("\"fcgi://127.0.0.1:8080/\"", run.Output, StringComparison.Ordinal);
    }
}
