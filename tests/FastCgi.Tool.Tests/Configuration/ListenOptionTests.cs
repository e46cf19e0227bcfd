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

        run.Prints("<VirtualHost 127.0.0.1:9000>", "\"fcgi://127.0.0.1:8080/\"");
    }

    [Theory]
    [InlineData("nginx", "443")]
    [InlineData("nginx", "127.0.0.1:443")]
    [InlineData("haproxy", "443")]
    [InlineData("h2o", "443")]
    public async Task The_port_of_TLS_is_not_the_plain_one_too(string server, string listen)
    {
        var run = await ToolRun.OfAsync(
            "config", server, "--listen", listen, "--certificate", "/a.pem", "--key", "/a.pem");

        run.Fails(ExitCode.Usage, $"--listen {listen}");
    }

    [Theory]
    [InlineData("apache", "<VirtualHost *:443>")]
    [InlineData("caddy", "https://:443 {")]
    public async Task The_port_of_a_site_with_TLS_alone_is_that_of_TLS(string server, string expected)
    {
        var run = await ToolRun.OfAsync(
            "config", server, "--listen", "443", "--certificate", "/a.pem", "--key", "/a.key");

        Assert.Contains(expected, run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("8080", "8080")]
    [InlineData("127.0.0.1:8080", "127.0.0.1:8080")]
    public async Task Apache_is_told_of_a_port_that_Debian_does_not_open(string listen, string expected)
    {
        var run = await ToolRun.OfAsync("config", "apache", "--listen", listen);

        Assert.Contains(
            $"# Apache opens this port only with this line in /etc/apache2/ports.conf: Listen {expected}\n" +
            "<VirtualHost ",
            run.Output,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("80")]
    [InlineData("127.0.0.1:80")]
    [InlineData("443")]
    public async Task Apache_opens_the_usual_ports_by_itself(string listen)
    {
        var run = await ToolRun.OfAsync("config", "apache", "--listen", listen);

        Assert.DoesNotContain("ports.conf", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("nginx", "*:8080", "listen 8080;")]
    [InlineData("nginx", "localhost:8080", "listen localhost:8080;")]
    [InlineData("haproxy", "[::1]:8080", "bind [::1]:8080")]
    [InlineData("caddy", "*:8080", "http://:8080 {")]
    [InlineData("caddy", "[::1]:8080", "bind ::1\n")]
    public async Task An_address_is_written_as_the_web_server_takes_it(string server, string listen, string expected)
    {
        var run = await ToolRun.OfAsync("config", server, "--listen", listen);

        run.Succeeds(expected);
        Assert.DoesNotContain("bind *", run.Output, StringComparison.Ordinal);
    }
}
