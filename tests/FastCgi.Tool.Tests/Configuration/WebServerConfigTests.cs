using System.Net;
using System.Text.RegularExpressions;
using FastCgi.Tool.Tests.Doctor;
using FastCgi.WebServerKit.Samples;

namespace FastCgi.Tool.Tests.Configuration;

/// <summary>What fcgi config prints is what the real web server runs.</summary>
public sealed partial class WebServerConfigTests
{
    public static MatrixTheoryData<string, bool, bool> Cases => new(
        ["nginx", "apache", "lighttpd", "caddy", "haproxy", "h2o"], [false, true], [false, true]);

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_web_server_serves_the_application(string server, bool isTcp, bool isMounted)
    {
        await using var app = await ServedApp.StartOnUnixAndTcpAsync(MountedApplication.Configure);
        var endpoint = isTcp ? app.TcpEndPoint.ToString() : $"unix:{app.SocketPath}";
        await using var webServer = await StartAsync(
            server, ["--endpoint", endpoint, .. isMounted ? (string[])["--path-base", "/shop"] : []]);
        using var client = TestClient.Create(webServer.EndPoint);
        client.DefaultRequestHeaders.TryAddWithoutValidation("Authorization", "Basic ZXZpbDp4");
        client.DefaultRequestHeaders.TryAddWithoutValidation("X-Forwarded-For", "203.0.113.66");
        var mount = isMounted ? "/shop" : "";

        var text = await client.GetStringAsync($"{mount}/a%20b?x=1");
        using var posted = await client.PostAsync($"{mount}/", new StringContent(new string('x', 100_000)));

        Assert.Equal(mount, SeedSite.Line(text, "base"));
        Assert.Equal("/a b", SeedSite.Line(text, "path"));
        Assert.Equal("?x=1", SeedSite.Line(text, "query"));
        Assert.Equal(webServer.EndPoint.ToString(), SeedSite.Line(text, "host"));
        Assert.Equal("127.0.0.1", SeedSite.Line(text, "remote"));
        Assert.Equal("Basic ZXZpbDp4", SeedSite.Line(text, "authorization"));
        // h2o 2.2 cannot remove a header; the server itself keeps it out of Request.Headers.
        Assert.Equal(server == "h2o" ? "203.0.113.66" : "", SeedSite.Line(text, "forwarded"));
        Assert.Equal("100000", SeedSite.Line(await posted.Content.ReadAsStringAsync(), "body"));
    }

    [Theory]
    [InlineData("nginx")]
    [InlineData("caddy")]
    [InlineData("haproxy")]
    public async Task A_certificate_is_used(string server)
    {
        using var authority = new TestAuthority();
        await using var app = await ServedApp.StartOnUnixAndTcpAsync(MountedApplication.Configure);
        var encrypted = new IPEndPoint(IPAddress.Loopback, FreePort.Take());
        await using var webServer = await StartAsync(
            server,
            [
                "--endpoint", $"unix:{app.SocketPath}",
                "--certificate", authority.SiteFile, "--key", authority.SiteKeyFile,
            ],
            text =>
                text.Replace("listen 443 ssl", $"listen {encrypted} ssl").Replace("bind :443", $"bind {encrypted}"));
        using var client = authority.CreateClient(
            server == "caddy" ? webServer.EndPoint : encrypted, certificate: null);

        Assert.Equal("https", SeedSite.Line(await client.GetStringAsync("/"), "scheme"));
    }

    [Fact]
    public async Task Caddy_takes_the_port_of_TLS_with_a_certificate_alone()
    {
        using var directory = new WorkDirectory();
        var run = await ToolRun.OfAsync(
            "config", "caddy", "--certificate", "/a.pem", "--key", "/a.key", "--output", directory.Path);
        Assert.True(run.ExitCode == ExitCode.Success, run.Error);

        var adapted = await ChildProcess.SucceedAsync(
            InstalledProgram.Find("caddy"),
            ["adapt", "--config", directory.File("Caddyfile"), "--adapter", "caddyfile"],
            directory.Path);
        Assert.Contains("\":443\"", adapted.ToString(), StringComparison.Ordinal);
    }

    /// <summary>A site of Apache in front takes the names that ours does not.</summary>
    [Theory]
    [InlineData("*.example.com", "www.example.com", true)]
    [InlineData("*.example.com", "example.org", false)]
    [InlineData("www.example.*", "www.example.org", true)]
    [InlineData("www.example.com", "www.example.com", true)]
    [InlineData("www.example.com", "shop.example.com", false)]
    public async Task Apache_serves_the_names_of_the_site(string name, string host, bool isServed)
    {
        await using var app = await ServedApp.StartOnUnixAndTcpAsync(MountedApplication.Configure);
        await using var apache = await StartAsync(
            "apache",
            ["--endpoint", $"unix:{app.SocketPath}", "--server-name", name],
            static text => VirtualHost().Replace(text, "$0\n    ServerName first.example\n</VirtualHost>\n$0", 1));
        using var client = TestClient.Create(apache.EndPoint);
        client.DefaultRequestHeaders.Host = host;

        using var response = await client.GetAsync("/");

        Assert.Equal(isServed, response.StatusCode == HttpStatusCode.OK);
    }

    [Fact]
    public async Task Nginx_serves_names_by_an_expression()
    {
        await using var app = await ServedApp.StartOnUnixAndTcpAsync(MountedApplication.Configure);
        await using var nginx = await StartAsync(
            "nginx", ["--endpoint", $"unix:{app.SocketPath}", "--server-name", @"~^(www|shop)\.example\.com$"]);
        using var client = TestClient.Create(nginx.EndPoint);
        client.DefaultRequestHeaders.Host = "shop.example.com";

        Assert.Equal("shop.example.com", SeedSite.Line(await client.GetStringAsync("/"), "host"));
    }

    [Fact]
    public async Task SCGI_is_written_for_nginx()
    {
        await using var app = await ServedApp.StartOnUnixAndTcpAsync(MountedApplication.Configure);
        await using var webServer = await StartAsync(
            "nginx", ["--endpoint", $"scgi://unix:{app.ScgiSocketPath}", "--path-base", "/shop"]);
        using var client = TestClient.Create(webServer.EndPoint);

        Assert.Equal("/shop", SeedSite.Line(await client.GetStringAsync("/shop/x"), "base"));
    }

    [Theory]
    [InlineData("5000000", "client_max_body_size 5000000;")]
    [InlineData("null", "client_max_body_size 0;")]
    public async Task The_doctor_finds_nothing_in_it(string limit, string expected)
    {
        using var directory = new WorkDirectory();
        InstalledProgram.Find("nginx");
        var socket = directory.File("app.sock");
        await File.WriteAllTextAsync(socket, "");
        var settings = $$$"""{ "FastCgi": { "Endpoints": { "Main": { "Url": "unix:{{{socket}}}" } },""" +
            $$$""" "PathBase": "/shop", "Limits": { "MaxRequestBodySize": {{{limit}}} } } }""";
        await File.WriteAllTextAsync(directory.File("appsettings.json"), settings);

        var config = await ToolRun.OfAsync(
            "config", "nginx", "--settings", directory.File("appsettings.json"), "--listen", "8080");
        await File.WriteAllTextAsync(directory.File("app.conf"), config.Output);
        var doctor = await ToolRun.OfAsync(
            "doctor", directory.File("app.conf"), "--settings", directory.File("appsettings.json"));

        config.Prints($"server unix:{socket};", "listen 8080;", expected, "location /shop/ {");
        Assert.DoesNotContain("ASPNETCORE_PATHBASE", config.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("switched off", config.Output, StringComparison.Ordinal);
        Assert.True(doctor.ExitCode == ExitCode.Success, doctor.Output);
    }

    private static async Task<WebServer> StartAsync(
        string server, string[] arguments, Func<string, string>? change = null) =>
        await ProgramOf(server).StartAsync(endPoint =>
        {
            string[] listen = server == "lighttpd" ? [] : ["--listen", endPoint.ToString()];
            var run = ToolRun.OfAsync(["config", server, .. arguments, .. listen]).GetAwaiter().GetResult();
            Assert.True(run.ExitCode == ExitCode.Success, run.Error);
            var text = Fitted(server, run.Output);
            return change is null ? text : change(text);
        });

    /// <summary>What a test that is no daemon of the system must change.</summary>
    private static string Fitted(string server, string text) => server switch
    {
        "nginx" => text.Replace("include ", "include /etc/nginx/", StringComparison.Ordinal),
        "h2o" => text.Replace("pid-file: /run/h2o.pid", "", StringComparison.Ordinal)
            .Replace("user: debian-h2o", Environment.IsPrivilegedProcess ? "user: root" : "", StringComparison.Ordinal),
        _ => text,
    };

    private static WebServerProgram ProgramOf(string server) => server switch
    {
        "nginx" => WebServerProgram.Nginx,
        "apache" => ApacheSample.ProgramWith("proxy", "proxy_fcgi", "xsendfile"),
        "lighttpd" => WebServerProgram.Lighttpd,
        "caddy" => WebServerProgram.Caddy,
        "haproxy" => WebServerProgram.Haproxy,
        _ => WebServerProgram.H2o,
    };

    [GeneratedRegex("<VirtualHost .*>")]
    private static partial Regex VirtualHost();
}
