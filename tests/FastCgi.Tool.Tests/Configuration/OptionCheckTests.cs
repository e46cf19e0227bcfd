namespace FastCgi.Tool.Tests.Configuration;

/// <summary>A value that the file cannot have is refused by name, and none is ignored.</summary>
public sealed class OptionCheckTests
{
    [Theory]
    [InlineData("lighttpd", "--server-name", "www.example.com")]
    [InlineData("haproxy", "--server-name", "www.example.com")]
    [InlineData("nginx", "--server-name", "a b")]
    [InlineData("apache", "--server-name", "a;b")]
    [InlineData("caddy", "--server-name", "~^www\\.example$")]
    [InlineData("nginx", "--path-base", "/a$b")]
    [InlineData("nginx", "--path-base", "/a\\tb")]
    [InlineData("haproxy", "--path-base", "/a#b")]
    [InlineData("haproxy", "--path-base", "/a%20b")]
    [InlineData("nginx", "--listen", ":8080")]
    [InlineData("nginx", "--listen", "80x")]
    [InlineData("nginx", "--listen", "99999")]
    [InlineData("nginx", "--listen", "0")]
    [InlineData("nginx", "--listen", "+80")]
    [InlineData("nginx", "--listen", "::1:8080")]
    [InlineData("nginx", "--listen", "127.0.0.1")]
    [InlineData("nginx", "--listen", "a b:8080")]
    [InlineData("nginx", "--listen", "")]
    [InlineData("systemd", "--user", "web user")]
    [InlineData("systemd", "--user", "-web")]
    [InlineData("systemd", "--user", "")]
    [InlineData("systemd", "--group", "web;group")]
    [InlineData("nginx", "--program", "/srv/app/App")]
    [InlineData("caddy", "--user", "web")]
    [InlineData("apache", "--group", "web")]
    [InlineData("systemd", "--server-name", "www.example.com")]
    [InlineData("systemd", "--listen", "8080")]
    [InlineData("systemd", "--path-base", "/app")]
    public async Task A_value_that_cannot_be_written_is_status_2(string server, string option, string value)
    {
        var run = await ToolRun.OfAsync("config", server, option, value);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith("fcgi: ", run.Error, StringComparison.Ordinal);
        Assert.Contains($"{option} '{value}'", run.Error, StringComparison.Ordinal);
        Assert.Equal("", run.Output);
    }

    [Theory]
    [InlineData("nginx", "--listen", "65535")]
    [InlineData("nginx", "--server-name", "*.example.com")]
    [InlineData("nginx", "--server-name", "~^(www|shop)\\.example\\.com$")]
    [InlineData("nginx", "--path-base", "/a%20b")]
    [InlineData("systemd", "--user", "web.user_1")]
    [InlineData("systemd", "--group", "1000")]
    public async Task A_value_at_the_edge_is_taken(string server, string option, string value)
    {
        var run = await ToolRun.OfAsync("config", server, option, value);

        run.Succeeds(value);
    }

    [Theory]
    [InlineData("nginx", "unix:/run/a$b.sock", "'/run/a$b.sock' has $")]
    [InlineData("haproxy", "unix:/run/a#b.sock", "'/run/a#b.sock' has #")]
    [InlineData("apache", "unix:/run/a b.sock", "'/run/a b.sock' has a blank")]
    public async Task The_sign_that_a_value_must_not_have_is_named(string server, string endpoint, string expected)
    {
        var run = await ToolRun.OfAsync("config", server, "--endpoint", endpoint);

        run.Fails(ExitCode.Usage, $"the endpoint {expected}, ");
    }

    [Fact]
    public async Task A_name_that_is_empty_is_any()
    {
        var run = await ToolRun.OfAsync("config", "nginx", "--server-name", "");

        Assert.Contains("server_name _;", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(""" "Endpoints": { "Main": "127.0.0.1:9000" } """, "FastCgi:Endpoints:Main '127.0.0.1:9000'")]
    [InlineData(""" "Limits": { "MaxRequestBodySize": "much" } """, "FastCgi:Limits:MaxRequestBodySize 'much'")]
    [InlineData(""" "Limits": { "MaxRequestBodySize": -1 } """, "FastCgi:Limits:MaxRequestBodySize '-1'")]
    [InlineData(""" "Endpoints": { "Main": { "Url": "127.0.0.1:9000", "url": "127.0.0.1:9001" } } """, "Key: url")]
    [InlineData(""" "PathBase": "/a", "pathBase": "/b" """, "Key: pathBase")]
    public async Task Settings_that_the_server_refuses_are_status_2(string section, string expected)
    {
        var run = await ToolRun.OnFileAsync(
            $$"""{ "FastCgi": { {{section}} } }""", "config", "nginx", "--settings", "FILE");

        run.Fails(ExitCode.Usage, expected);
        Assert.DoesNotContain("unexpected", run.Error, StringComparison.Ordinal);
    }
}
