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

    [Theory]
    [InlineData("/a.pem", "/a.key", ExitCode.Usage)]
    [InlineData("/a.pem", "/a.pem.key", ExitCode.Success)]
    [InlineData("/a.pem", "/a.pem", ExitCode.Success)]
    public async Task Haproxy_takes_the_key_of_the_certificate_s_file_alone(
        string certificate, string key, int expected)
    {
        var run = await ToolRun.OfAsync("config", "haproxy", "--certificate", certificate, "--key", key);

        Assert.Equal(expected, run.ExitCode);
        Assert.Contains(expected == ExitCode.Usage ? "/a.pem.key" : "crt /a.pem\n", run.Error + run.Output);
    }

    [Theory]
    [InlineData("nginx", "*:9000", "server 127.0.0.1:9000;")]
    [InlineData("nginx", "0.0.0.0:9000", "server 127.0.0.1:9000;")]
    [InlineData("nginx", "[::]:9000", "server [::1]:9000;")]
    [InlineData("lighttpd", "*:9000", "\"host\" => \"127.0.0.1\", \"port\" => 9000")]
    [InlineData("lighttpd", "[::]:9000", "\"host\" => \"::1\", \"port\" => 9000")]
    [InlineData("h2o", "*:9000", "host: \"127.0.0.1\"")]
    [InlineData("h2o", "[::]:9000", "host: \"::1\"")]
    public async Task An_application_on_all_addresses_is_asked_on_this_machine(
        string server, string url, string expected)
    {
        var run = await ToolRun.OnFileAsync(
            $$"""{ "FastCgi": { "Endpoints": { "Main": { "Url": "{{url}}" } } } }""",
            "config", server, "--settings", "FILE");

        Assert.Contains(expected, run.Output, StringComparison.Ordinal);
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

    [Theory]
    [InlineData("fd:3")]
    [InlineData("127.0.0.1:0")]
    [InlineData("@app")]
    [InlineData("unix:/run/our app/app.sock")]
    public async Task An_endpoint_that_a_web_server_cannot_connect_to_is_status_2(string endpoint)
    {
        var run = await ToolRun.OfAsync("config", "nginx", "--endpoint", endpoint);

        run.Fails(ExitCode.Usage, endpoint.Replace("unix:", "", StringComparison.Ordinal));
        Assert.Equal("", run.Output);
    }

    [Fact]
    public async Task SCGI_is_written_for_nginx()
    {
        await using var app = await ServedApp.StartOnUnixAndTcpAsync(MountedApplication.Configure);
        await using var webServer = await StartAsync(
            "nginx", ["--endpoint", $"scgi://unix:{app.ScgiSocketPath}", "--path-base", "/shop"]);
        using var client = TestClient.Create(webServer.EndPoint);

        Assert.Equal("/shop", SeedSite.Line(await client.GetStringAsync("/shop/x"), "base"));
        Assert.Equal(
            ExitCode.Usage, (await ToolRun.OfAsync("config", "apache", "--endpoint", "scgi://127.0.0.1:1")).ExitCode);
    }

    [Fact]
    public async Task An_SCGI_endpoint_of_a_site_has_an_upstream_of_its_own()
    {
        var pages = await ToolRun.OfAsync("config", "nginx", "--site", "shop");
        var sockets = await ToolRun.OfAsync("config", "nginx", "--site", "shop", "--endpoint", "scgi://127.0.0.1:9001");

        Assert.Contains("upstream shop {", pages.Output, StringComparison.Ordinal);
        sockets.Prints("upstream shop_ws {", "scgi_pass shop_ws;");
    }

    [Theory]
    [InlineData("nginx", "5000000", "client_max_body_size 5000000;")]
    [InlineData("nginx", "0", "client_max_body_size 1;")]
    [InlineData("lighttpd", "5000000", "server.max-request-size = 4883\n")]
    [InlineData("lighttpd", "1048576", "server.max-request-size = 1024\n")]
    [InlineData("lighttpd", "0", "server.max-request-size = 1\n")]
    [InlineData("nginx", "null", "client_max_body_size 0;")]
    [InlineData("nginx", "\"\"", "client_max_body_size 0;")]
    [InlineData("nginx", "\"NULL\"", "client_max_body_size 0;")]
    [InlineData("lighttpd", "null", "server.max-request-size = 0\n")]
    [InlineData("h2o", "null", "\nlimit-request-body: 9223372036854775807\n")]
    [InlineData("h2o", "5000000000", "\nlimit-request-body: 5000000000\n")]
    public async Task The_limit_of_a_body_is_that_of_the_application(string server, string limit, string expected)
    {
        var settings = $$$"""{ "FastCgi": { "Limits": { "MaxRequestBodySize": {{{limit}}} } } }""";
        var config = await ToolRun.OnFileAsync(settings, "config", server, "--settings", "FILE");

        Assert.Contains(expected, config.Output, StringComparison.Ordinal);
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

    [Theory]
    [InlineData("nginx", "--path-base", "app")]
    [InlineData("nginx", "--certificate", "/a.pem")]
    [InlineData("nginx", "--name", "Other")]
    [InlineData("nginx", "--endpoint", "nothing at all:x")]
    [InlineData("lighttpd", "--listen", "8080")]
    [InlineData("nginx", "--site", "my site")]
    [InlineData("nginx", "--certificate", "/our files/a.pem", "--key", "/a.key")]
    [InlineData("nginx", "--path-base", "/a;b")]
    [InlineData("systemd", "--endpoint", "fd:3")]
    [InlineData("systemd", "--program", "App")]
    [InlineData("systemd", "--program", "/srv/our \"App\"")]
    [InlineData("iis")]
    public async Task An_option_that_cannot_be_used_is_status_2(params string[] arguments) =>
        Assert.Equal(ExitCode.Usage, (await ToolRun.OfAsync(["config", .. arguments])).ExitCode);

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
