using FastCgi.Tool.Tests.Commands;

namespace FastCgi.Tool.Tests.Doctor;

public sealed class DoctorCommandTests
{
    private const string Wrong = """
        events { }
        http {
            include mime.types;
            include sites/*.conf;
        }
        """;

    private const string Site = """
        server {
            listen 80;
            location / {
                fastcgi_pass 127.0.0.1:9000;
                fastcgi_buffer_size 32k;
                fastcgi_buffers 16 32k;
            }
        }
        """;

    [Fact]
    public async Task Included_files_are_named_with_their_own_lines()
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(directory.File("nginx.conf"), Wrong);
        await File.WriteAllTextAsync(directory.File("mime.types"), "types { text/html html; }");
        directory.Subdirectory("sites");
        await File.WriteAllTextAsync(directory.File("sites/a.conf"), Site);
        await File.WriteAllTextAsync(directory.File("sites/b.txt"), "not read {");

        var run = await ToolRun.OfAsync("doctor", directory.File("nginx.conf"));

        Assert.Equal(ExitCode.Findings, run.ExitCode);
        run.Prints(
            $"{directory.File("sites/a.conf")}:4: params-missing: ",
            "Add include fastcgi_params; beside fastcgi_pass.",
            "1 found at 1 fastcgi_pass");
    }

    [Fact]
    public async Task The_output_of_nginx_T_is_read_from_the_standard_input()
    {
        var dump = $"""
            nginx: the configuration file /x/nginx.conf syntax is ok
            # configuration file /x/nginx.conf:
            {Wrong}
            # configuration file /x/mime.types:
            types {"{ }"}
            # configuration file /x/sites/a.conf:
            {Site}
            """;

        var run = await ToolRun.OfAsync(dump, ["doctor", "-", "--json"]);

        var finding = Assert.Single(run.Json["findings"]!.AsArray())!;
        Assert.Equal("/x/sites/a.conf", (string)finding["file"]!);
        Assert.Equal(4, (int)finding["line"]!);
    }

    [Theory]
    [InlineData("server {\n  listen 80;\n", 1, "no closing }")]
    [InlineData("server {\n}\n}\n", 3, "closes nothing")]
    [InlineData("server {\n  listen 80\n}\n", 2, "has no ; at its end")]
    [InlineData("\n\nadd_header A \"b;\n", 3, "has no end")]
    [InlineData("include /no/such/file;\n", 1, "no file '/no/such/file'")]
    [InlineData(";\n", 1, "stands where a directive begins")]
    public async Task A_file_that_nginx_refuses_is_a_finding(string text, int line, string message)
    {
        using var directory = new WorkDirectory();
        var file = directory.File("nginx.conf");
        await File.WriteAllTextAsync(file, text);

        var run = await ToolRun.OfAsync("doctor", file);

        Assert.Equal(ExitCode.Findings, run.ExitCode);
        Assert.StartsWith($"{file}:{line}: syntax: ", run.Output, StringComparison.Ordinal);
        Assert.Contains(message, run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_wildcard_finds_no_files_whose_names_begin_with_a_dot()
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(
            directory.File("nginx.conf"),
            "include one/*; include two/?a.conf; include three/[.a]*; include four/.*; include */b.conf;");
        foreach (var folder in (string[])["one", "two", "three", ".five"])
        {
            directory.Subdirectory(folder);
            await File.WriteAllTextAsync(directory.File($"{folder}/.a.conf"), "not read {");
            await File.WriteAllTextAsync(directory.File($"{folder}/.b"), "not read {");
        }

        await File.WriteAllTextAsync(directory.File(".five/b.conf"), "not read {");
        directory.Subdirectory("four");
        await File.WriteAllTextAsync(directory.File("four/.a.conf"), Site);

        var run = await ToolRun.OfAsync("doctor", directory.File("nginx.conf"));

        Assert.DoesNotContain("syntax", run.Output, StringComparison.Ordinal);
        Assert.Contains($"{directory.File("four/.a.conf")}:4: params-missing: ", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_wildcard_can_name_what_does_not_match()
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(directory.File("nginx.conf"), "include sites/[!b]*.conf;");
        directory.Subdirectory("sites");
        await File.WriteAllTextAsync(directory.File("sites/a.conf"), Site);
        await File.WriteAllTextAsync(directory.File("sites/b.conf"), "not read {");

        var run = await ToolRun.OfAsync("doctor", directory.File("nginx.conf"));

        Assert.StartsWith($"{directory.File("sites/a.conf")}:4: ", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "$request_method$scheme$host$request_uri;")]
    [InlineData("fastcgi_param HTTP_HOST $host$host_port;", "$request_method$scheme$host$host_port$request_uri;")]
    [InlineData("fastcgi_param HTTPS $client_https;", "$request_method$client_https$host$request_uri;")]
    public async Task The_key_of_a_cache_is_what_the_application_makes_its_links_of(string param, string key)
    {
        var run = await ToolRun.OnFileAsync(
            Site.Replace(
                "fastcgi_pass",
                $"include /etc/nginx/fastcgi_params;\nfastcgi_param HTTP_HOST $host;\n{param}\nfastcgi_cache pages;\n" +
                "fastcgi_pass",
                StringComparison.Ordinal),
            "doctor", "FILE");

        Assert.Contains($"Write fastcgi_cache_key {key}", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "$host$host_port; In http { }: map $http_host")]
    [InlineData("listen 8080;", "$host$host_port; In http { }: map $http_host")]
    public async Task A_host_keeps_the_port_that_the_client_asked_for(string listen, string remedy)
    {
        var run = await ToolRun.OnFileAsync(
            Site.Replace("listen 80;", listen, StringComparison.Ordinal).Replace(
                "fastcgi_pass", "include /etc/nginx/fastcgi_params;\nfastcgi_param HTTP_HOST $http_host;\nfastcgi_pass",
                StringComparison.Ordinal),
            "doctor", "FILE");

        Assert.Contains($"fastcgi_param HTTP_HOST {remedy}", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("fd:3")]
    [InlineData(UsageTests.LongPath)]
    public async Task An_address_that_nobody_can_connect_to_leaves_the_other_findings(string address)
    {
        var run = await ToolRun.OnFileAsync(
            Site.Replace("127.0.0.1:9000", address, StringComparison.Ordinal), "doctor", "FILE", "--probe");

        Assert.Equal(ExitCode.Findings, run.ExitCode);
        run.Prints("unreachable", "params-missing");
    }

    [Fact]
    public async Task A_probed_page_is_read_whatever_its_charset()
    {
        await using var server = await FunctionalServer.StartAsync(ServerTransport.EpollOnUnix, static context =>
        {
            context.Response.ContentType = "text/plain; charset=windows-1252";
            return context.Response.WriteAsync("File not found.");
        });
        var location = $"fastcgi_pass {server.Address["fastcgi://".Length..]};";

        var run = await ToolRun.OnFileAsync(
            Seed.Site(location: location).Replace("LISTEN", "80", StringComparison.Ordinal),
            "doctor", "FILE", "--probe");

        // PHP needs other params than ASP.NET Core.
        Assert.NotEqual(ExitCode.Defect, run.ExitCode);
        Assert.DoesNotContain("DOCUMENT_URI", run.Output, StringComparison.Ordinal);
    }

    /// <summary>Each value that a rule knows, beside those of which nginx shows the symptom.</summary>
    [Theory]
    [InlineData("real-ip-from-everybody", true, "set_real_ip_from ::/0;", "")]
    [InlineData("client-host", true, "", "fastcgi_param HTTP_HOST $http_host; fastcgi_param HTTP_HOST \"\";")]
    [InlineData("client-host", false, "", "fastcgi_param HTTP_HOST \"\";")]
    [InlineData("wrong-host", true, "", "fastcgi_param HTTP_HOST $server_name;")]
    [InlineData("wrong-host", false, "", "fastcgi_param HTTP_HOST www.example.com;")]
    [InlineData("hidden-header", true, "", "fastcgi_hide_header WWW-Authenticate;")]
    [InlineData("hidden-header", true, "", "fastcgi_hide_header Location;")]
    [InlineData("hidden-header", false, "", "fastcgi_hide_header X-Powered-By;")]
    [InlineData("refused-page", true, "error_page 401 @app; location @app { LOCATION }", "")]
    [InlineData("refused-page", true, "error_page 403 @app; location @app { LOCATION }", "")]
    [InlineData("refused-page", false, "error_page 404 @app; location @app { LOCATION }", "")]
    [InlineData("guarded-path", true, "location /admin { auth_basic a; auth_basic_user_file users; LOCATION }", "")]
    [InlineData("guarded-path", false, "location /admin { auth_basic off; LOCATION }", "")]
    [InlineData(
        "cached-cookie",
        true,
        "",
        "fastcgi_cache pages; fastcgi_cache_key $request_method$request_uri; fastcgi_ignore_headers Set-Cookie; " +
        "fastcgi_no_cache $cookie_session; fastcgi_cache_bypass $cookie_session;")]
    public async Task A_rule_knows_each_value(string rule, bool isFound, string server, string location)
    {
        var site = Seed.Site(
            "fastcgi_cache_path cache keys_zone=pages:1m;",
            server.Replace("LOCATION", Seed.Location, StringComparison.Ordinal),
            $"{Seed.Location}\n{location}");

        var run = await ToolRun.OnFileAsync(
            site.Replace("LISTEN", "80", StringComparison.Ordinal), "doctor", "FILE", "--json");

        Assert.Equal(isFound, run.Rules.Contains(rule));
    }

    [Theory]
    [InlineData(0, false)]
    [InlineData(-1, true)]
    public async Task A_head_is_measured_to_its_last_byte(int difference, bool isFound)
    {
        const string Target = "/?head=20000";
        await using var app = await ServedApp.StartOnUnixAndTcpAsync(DoctorApplication.Configure);
        await using var peer = await ScriptedPeer.ConnectAsync(app.TcpEndPoint);
        var head = (await peer.RoundTripAsync(new RequestScript { Target = Target })).Head;
        var location = $"{Seed.Params}\nfastcgi_buffer_size {head.Length + difference};\n" +
            $"fastcgi_buffers 16 32k;\nfastcgi_pass unix:{app.SocketPath};";

        var run = await ToolRun.OnFileAsync(
            Seed.Site(location: location).Replace("LISTEN", "80", StringComparison.Ordinal),
            "doctor", "FILE", "--probe", "--url", Target);

        Assert.Equal(isFound, run.Output.Contains("head-buffer", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_server_that_is_marked_as_down_is_not_probed()
    {
        var run = await ProbeUpstreamAsync("server unix:APP; server unix:NONE down;");

        Assert.DoesNotContain("unreachable", run.Output, StringComparison.Ordinal);
    }

    /// <summary>nginx asks the next server where one takes no connection.</summary>
    [Theory]
    [InlineData("server unix:NONE; server unix:APP backup;", "Requests go to the other servers of app")]
    [InlineData("server unix:NONE; server unix:APP;", "Requests go to the other servers of app")]
    [InlineData("server unix:NONE;", "Every request is a 502")]
    public async Task A_server_that_takes_no_connection_fails_all_requests_only_if_it_is_alone(
        string servers, string outcome)
    {
        var run = await ProbeUpstreamAsync(servers);

        Assert.Contains(outcome, run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_path_of_a_probe_that_is_no_URL_is_status_2()
    {
        var run = await ToolRun.OnFileAsync(Site, "doctor", "FILE", "--probe", "--url", "ftp://x/");

        run.Fails(ExitCode.Usage, "ftp://x/");
    }

    [Fact]
    public async Task A_file_that_includes_itself_is_a_finding()
    {
        var run = await ToolRun.OnFileAsync("include file;", "doctor", "FILE");

        Assert.Contains("includes itself", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/etc/passwd", "--settings", "/no/such/appsettings.json")]
    [InlineData("/etc/hostname", "--settings", "/etc/passwd")]
    public async Task A_file_that_is_not_there_is_status_2(params string[] arguments)
    {
        var run = await ToolRun.OfAsync(["doctor", .. arguments]);

        run.Fails(ExitCode.Usage, arguments[^1]);
    }

    /// <summary>Probes the servers of an upstream: APP is the socket of an application, at NONE nothing listens.</summary>
    private static async Task<ToolRun> ProbeUpstreamAsync(string servers)
    {
        using var directory = new WorkDirectory();
        await using var app = await ServedApp.StartOnUnixAndTcpAsync(DoctorApplication.Configure);
        servers = servers.Replace("APP", app.SocketPath, StringComparison.Ordinal)
            .Replace("NONE", directory.File("none.sock"), StringComparison.Ordinal);
        await File.WriteAllTextAsync(
            directory.File("nginx.conf"),
            $"upstream app {{ {servers} }}\n" +
            Site.Replace("127.0.0.1:9000", "app", StringComparison.Ordinal));
        return await ToolRun.OfAsync("doctor", directory.File("nginx.conf"), "--probe");
    }
}
