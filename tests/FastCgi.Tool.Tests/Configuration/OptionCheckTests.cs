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
    [InlineData("nginx", "--site", "my site")]
    [InlineData("nginx", "--path-base", "app")]
    [InlineData("nginx", "--path-base", "/a;b")]
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
    [InlineData("systemd", "--program", "App")]
    [InlineData("systemd", "--program", "/srv/our \"App\"")]
    [InlineData("nginx", "--program", "/srv/app/App")]
    [InlineData("caddy", "--user", "web")]
    [InlineData("apache", "--group", "web")]
    [InlineData("systemd", "--server-name", "www.example.com")]
    [InlineData("systemd", "--listen", "8080")]
    [InlineData("systemd", "--path-base", "/app")]
    public async Task A_value_that_cannot_be_written_is_status_2(string server, string option, string value)
    {
        var run = await ToolRun.OfAsync("config", server, option, value);

        AssertRefused(run, $"{option} '{value}'");
    }

    [Theory]
    [InlineData("--certificate and --key belong together.", "nginx", "--certificate", "/a.pem")]
    [InlineData("--certificate '/our files/a.pem' ", "nginx", "--certificate", "/our files/a.pem", "--key", "/a.key")]
    [InlineData("'/a.pem.key'", "haproxy", "--certificate", "/a.pem", "--key", "/a.key")]
    [InlineData("--name Other is no endpoint ", "nginx", "--name", "Other")]
    [InlineData("--listen 8080 has no place in this file", "lighttpd", "--listen", "8080")]
    // The port of TLS is not the plain one too.
    [InlineData("--listen 443", "nginx", "--listen", "443", "--certificate", "/a.pem", "--key", "/a.pem")]
    [InlineData(
        "--listen 127.0.0.1:443", "nginx", "--listen", "127.0.0.1:443", "--certificate", "/a.pem", "--key", "/a.pem")]
    [InlineData("--listen 443", "haproxy", "--listen", "443", "--certificate", "/a.pem", "--key", "/a.pem")]
    [InlineData("--listen 443", "h2o", "--listen", "443", "--certificate", "/a.pem", "--key", "/a.pem")]
    // No web server can connect to these.
    [InlineData("the endpoint 'fd:3' ", "nginx", "--endpoint", "fd:3")]
    [InlineData("127.0.0.1:0", "nginx", "--endpoint", "127.0.0.1:0")]
    [InlineData("the endpoint '@app' ", "nginx", "--endpoint", "@app")]
    [InlineData("the endpoint 'nothing at all:x' ", "nginx", "--endpoint", "nothing at all:x")]
    [InlineData("the endpoint speaks SCGI", "apache", "--endpoint", "scgi://127.0.0.1:1")]
    // The sign that a value must not have is named.
    [InlineData("the endpoint '/run/a b.sock' has a blank, ", "nginx", "--endpoint", "unix:/run/a b.sock")]
    [InlineData("the endpoint '/run/a$b.sock' has $, ", "nginx", "--endpoint", "unix:/run/a$b.sock")]
    [InlineData("the endpoint '/run/a#b.sock' has #, ", "haproxy", "--endpoint", "unix:/run/a#b.sock")]
    [InlineData("the endpoint '/run/a b.sock' has a blank, ", "apache", "--endpoint", "unix:/run/a b.sock")]
    // A socket of systemd has an address and no name.
    [InlineData("the endpoint 'fd:3' ", "systemd", "--endpoint", "fd:3")]
    [InlineData(
        "'127.1:9000' has a name, and systemd listens on numeric addresses only. " +
        "Give one of this machine, for example --endpoint 127.0.0.1:9000.",
        "systemd", "--endpoint", "127.1:9000")]
    [InlineData("'app.example.com:9000' has a name, ", "systemd", "--endpoint", "app.example.com:9000")]
    public async Task Options_that_cannot_be_written_are_status_2(string said, params string[] options) =>
        AssertRefused(await ToolRun.OfAsync(["config", .. options]), said);

    [Theory]
    [InlineData(""" "Endpoints": { "Main": "127.0.0.1:9000" } """, "FastCgi:Endpoints:Main '127.0.0.1:9000'")]
    [InlineData(
        """ "Endpoints": { "Main": { "Url": "127.0.0.1:9001", "Protocol": "http" } } """,
        "FastCgi:Endpoints:Main:Protocol 'http'")]
    [InlineData(""" "Limits": { "MaxRequestBodySize": "much" } """, "FastCgi:Limits:MaxRequestBodySize 'much'")]
    [InlineData(""" "Limits": { "MaxRequestBodySize": -1 } """, "FastCgi:Limits:MaxRequestBodySize '-1'")]
    [InlineData(""" "Endpoints": { "Main": { "Url": "127.0.0.1:9000", "url": "127.0.0.1:9001" } } """, "Key: url")]
    [InlineData(""" "PathBase": "/a", "pathBase": "/b" """, "Key: pathBase")]
    [InlineData(""" "PathBase": "app" """, "FastCgi:PathBase 'app'")]
    [InlineData(""" "PathBase": "/app" """, "PathBase '/app'", "--path-base", "/shop")]
    [InlineData(""" "PathBase": "/app" """, "/shop", "--path-base", "/shop")]
    public async Task Settings_that_the_server_refuses_are_status_2(
        string section, string said, params string[] options)
    {
        var run = await ToolRun.OnFileAsync(
            $$"""{ "FastCgi": { {{section}} } }""", ["config", "nginx", "--settings", "FILE", .. options]);

        AssertRefused(run, said);
    }

    private static void AssertRefused(ToolRun run, string said)
    {
        run.Fails(ExitCode.Usage, said);
        Assert.StartsWith("fcgi: ", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("unexpected", run.Error, StringComparison.Ordinal);
        Assert.Equal("", run.Output);
    }
}
