using System.Diagnostics;
using System.Globalization;
using System.Text;
using FastCgi.Gateway.Tests.Php;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>Which files the doctor reads, and which it knows not to be nginx's.</summary>
public sealed class DoctorFileTests(ITestOutputHelper output)
{
    private const string Site = """
        server {
            listen 80;
            location / {
                include params/app.conf;
                fastcgi_buffer_size 32k;
                fastcgi_buffers 16 32k;
                fastcgi_pass 127.0.0.1:9000;
            }
        }
        """;

    private const string Params =
        "include /etc/nginx/fastcgi_params; fastcgi_param HTTP_HOST $host; fastcgi_param REMOTE_USER \"\";";

    [Fact]
    public async Task The_file_of_a_site_alone_finds_its_includes_in_the_folder_above()
    {
        InstalledProgram.Find("nginx");
        using var directory = new WorkDirectory();
        directory.Subdirectory("sites-available");
        directory.Subdirectory("params");
        await File.WriteAllTextAsync(directory.File("params/app.conf"), Params);
        await File.WriteAllTextAsync(directory.File("sites-available/shop"), Site);

        var run = await ToolRun.OfAsync("doctor", directory.File("sites-available/shop"));

        Assert.True(run.ExitCode == ExitCode.Success, run.Output);
    }

    [Fact]
    public async Task A_file_that_is_missing_is_named_and_the_rest_is_checked()
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(
            directory.File("shop"),
            Site.Replace("127.0.0.1:9000", $"unix:{directory.File("none.sock")}", StringComparison.Ordinal));

        var run = await ToolRun.OfAsync("doctor", directory.File("shop"), "--json");

        Assert.Equal(["syntax", "unreachable"], run.Rules);
        Assert.Contains("'params/app.conf'", run.Output, StringComparison.Ordinal);
    }

    /// <summary>As glob(3): no folder is entered that the pattern does not name.</summary>
    [Fact]
    public async Task A_wildcard_reads_the_folders_of_its_own_depth()
    {
        using var directory = new WorkDirectory();
        directory.Subdirectory("sites/a/private/deep");
        directory.Subdirectory("sites/b[1]");
        Directory.CreateSymbolicLink(directory.File("sites/a/loop"), directory.File("sites"));
        await File.WriteAllTextAsync(directory.File("sites/a/private/nginx.conf"), "not read {");
        await File.WriteAllTextAsync(directory.File("sites/b[1]/nginx.conf"), "found {");
        await File.WriteAllTextAsync(directory.File("nginx.conf"), $"include {directory.File("sites")}/*/nginx.conf;");
        File.SetUnixFileMode(directory.File("sites/a/private"), UnixFileMode.None);

        var run = await ToolRun.OfAsync("doctor", directory.File("nginx.conf"));
        File.SetUnixFileMode(directory.File("sites/a/private"), UnixFileMode.UserRead | UnixFileMode.UserExecute
            | UnixFileMode.UserWrite);

        Assert.Contains($"{directory.File("sites/b[1]/nginx.conf")}:1: syntax: ", run.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("private", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("samples/web-servers/Caddyfile", "Caddy", "caddy validate")]
    [InlineData("samples/web-servers/haproxy.cfg", "HAProxy", "haproxy -c")]
    [InlineData("samples/web-servers/lighttpd.conf", "lighttpd", "lighttpd -tt")]
    [InlineData("samples/web-servers/h2o.yaml", "h2o", "h2o -t")]
    public async Task A_file_of_another_web_server_is_named_with_the_command_that_checks_it(
        string file, string server, string command)
    {
        var run = await ToolRun.OfAsync("doctor", Path.Combine(Repository.Root, file));

        run.Fails(ExitCode.Usage, $"is a file of {server}", command);
    }

    /// <summary>A line such as <c>user</c> or <c>include</c> is nginx's if its semicolon or brace stands on it.</summary>
    [Theory]
    [InlineData("HAProxy", """
        global
            log /dev/log local0
            user haproxy
            group haproxy
        defaults
            mode http
        frontend web
            bind :80
            use_backend app if { path_beg /app/ }
        backend app
            server s1 127.0.0.1:9000 proto fcgi
        """)]
    [InlineData("lighttpd", """
        server.document-root = "/var/www/html"
        server.port = 80
        include "/etc/lighttpd/conf-enabled/*.conf"
        $HTTP["host"] == "www.example.com" {
            server.document-root = "/srv/www"
        }
        """)]
    public async Task A_file_of_another_web_server_is_not_taken_for_that_of_nginx(string server, string text)
    {
        var run = await ToolRun.OnFileAsync(text, "doctor", "FILE");

        run.Fails(ExitCode.Usage, $"is a file of {server}");
    }

    /// <summary>What an include holds that is missing, or that Apache alone can find, may be right.</summary>
    [Theory]
    [InlineData("""
        server {
            listen 80;
            include snippets/limits.conf;
            location @app {
                include /etc/nginx/fastcgi_params;
                fastcgi_param REMOTE_USER $remote_user;
                fastcgi_cache pages;
                fastcgi_pass 127.0.0.1:9000;
            }
        }
        """)]
    [InlineData("""
        server {
            listen 80;
            location / { include snippets/fallback.conf; }
            location @app {
                include /etc/nginx/fastcgi_params;
                fastcgi_param HTTP_HOST $host;
                fastcgi_param REMOTE_USER "";
                fastcgi_buffer_size 32k;
                client_max_body_size 1000000;
                fastcgi_pass 127.0.0.1:9000;
            }
        }
        """)]
    [InlineData("""
        IncludeOptional ${APACHE_CONFDIR}/conf-enabled/*.conf
        <VirtualHost *:80>
            ProxyPass "/" "fcgi://127.0.0.1:9000/"
        </VirtualHost>
        """)]
    [InlineData("""
        LoadModule proxy_module modules/mod_proxy.so
        <VirtualHost *:80>
            Include ${SITES}/common.conf
            ProxyPass "/" "fcgi://127.0.0.1:9000/"
        </VirtualHost>
        """)]
    [InlineData("server { listen 80; location / { include snippets/app.conf; } }")]
    [InlineData("""
        <VirtualHost *:80>
            Include ${SITES}/app.conf
        </VirtualHost>
        """)]
    public async Task A_rule_is_silent_where_an_include_may_have_its_line(string text)
    {
        InstalledProgram.Find("nginx");
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(directory.File("site.conf"), text);
        await File.WriteAllTextAsync(
            directory.File("settings.json"), """{ "FastCgi": { "Limits": { "MaxRequestBodySize": 1000000 } } }""");

        var run = await ToolRun.OfAsync(
            "doctor", directory.File("site.conf"), "--settings", directory.File("settings.json"), "--json");

        Assert.All(run.Rules, static rule => Assert.Equal("syntax", rule));
    }

    /// <summary>A pattern that matches no file hides nothing.</summary>
    [Fact]
    public async Task An_include_of_Apache_that_may_be_empty_leaves_the_rules_in_force()
    {
        var run = await ToolRun.OnFileAsync(
            """
            IncludeOptional nothing-here/*.conf
            <VirtualHost *:80>
                ProxyPass "/" "fcgi://127.0.0.1:9000/"
            </VirtualHost>
            """,
            "doctor", "FILE", "--json");

        Assert.Equal(["authorization", "encoded-slashes"], run.Rules);
    }

    [Fact]
    public async Task The_sample_for_Apache_has_nothing_but_its_socket_to_find()
    {
        var run = await ToolRun.OfAsync(
            "doctor", Path.Combine(Repository.Root, "samples/web-servers/apache-proxy_fcgi.conf"), "--json");

        Assert.Equal(["unreachable"], run.Rules);
        Assert.Equal("[]", run.Json["hints"]!.ToJsonString());
    }

    /// <summary>A location of scripts is PHP's by its address, by the port of a pool, or by what answers.</summary>
    [Fact]
    public async Task What_answers_decides_if_a_location_is_that_of_PHP()
    {
        using var directory = new WorkDirectory();
        await using var php = await PhpFpm.StartAsync(directory);
        await using var app = await ServedApp.StartOnUnixAndTcpAsync(DoctorApplication.Configure);
        using var links = new WorkDirectory();
        File.CreateSymbolicLink(links.File("pool.sock"), php.Endpoint["unix:".Length..]);

        var byName = await CheckAsync(links, php.Endpoint);
        var byPort = await CheckAsync(links, "127.0.0.1:9074");
        var unknown = await CheckAsync(links, $"unix:{links.File("pool.sock")}");
        var asked = await CheckAsync(links, $"unix:{links.File("pool.sock")}", "--probe");
        var other = await CheckAsync(links, $"unix:{app.SocketPath}", "--probe");

        Assert.Equal("0 found at 1 fastcgi_pass, 1 of them for PHP", byName.Output.Trim());
        Assert.Contains("hint: taken-for-php", byPort.Output, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Success, byPort.ExitCode);
        Assert.Contains("php-leftovers", unknown.Output, StringComparison.Ordinal);
        Assert.Equal("0 found at 1 fastcgi_pass, 1 of them for PHP", asked.Output.Trim());
        Assert.Contains("php-leftovers", other.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http://127.0.0.1:9000", true)]
    [InlineData("http://127.0.0.1:5000", false)]
    [InlineData("http://unix:/run/shop.sock:/", true, "unix:/run/shop.sock")]
    [InlineData("http://127.0.0.1:7000/x/", true, "127.0.0.1:7000")]
    public async Task A_proxy_pass_to_an_endpoint_of_FastCGI_is_found_without_a_probe(
        string url, bool isFound, string endpoint = "127.0.0.1:1")
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(
            directory.File("site.conf"), $"server {{ listen 80; location / {{ proxy_pass {url}; }} }}");
        await File.WriteAllTextAsync(
            directory.File("settings.json"),
            $$"""{ "FastCgi": { "Endpoints": { "a": { "Url": "{{endpoint}}" } } } }""");

        var run = await ToolRun.OfAsync(
            "doctor", directory.File("site.conf"), "--settings", directory.File("settings.json"));

        Assert.Equal(isFound ? ExitCode.Findings : ExitCode.Success, run.ExitCode);
        Assert.Contains(isFound ? ": fastcgi-port: " : "hint: no-pass: ", run.Output, StringComparison.Ordinal);
    }

    /// <summary>
    /// Ten times the servers take ten times as long, not a hundred times. A busy machine may disturb one measurement;
    /// quadratic work is never in proportion.
    /// </summary>
    [Fact]
    public async Task Thousands_of_servers_take_a_time_in_proportion()
    {
        InstalledProgram.Find("nginx");
        await MeasureAsync(100);
        var isInProportion = false;
        for (var i = 0; i < 5 && !isInProportion; i++)
        {
            var few = await MeasureAsync(300);
            var many = await MeasureAsync(3_000);
            output.WriteLine($"{few.TotalSeconds:F3} s for 300 servers, {many.TotalSeconds:F3} s for 3,000");
            isInProportion = many < (few + TimeSpan.FromMilliseconds(20)) * 40;
        }

        Assert.True(isInProportion, "More servers take more time than in proportion.");
    }

    private static async Task<TimeSpan> MeasureAsync(int servers)
    {
        using var directory = new WorkDirectory();
        var text = new StringBuilder("user nobody nogroup; events { } http {");
        for (var i = 0; i < servers; i++)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $$"""
                upstream app{{i}} { server 127.0.0.1:9000; keepalive 8; }
                server {
                    listen 80; server_name s{{i}}.example; root /srv/s{{i}};
                    error_page 403 /errors/403;
                    location /admin { deny all; }
                    location ~* \.(css|js)$ { try_files $uri @app; }
                    location / { try_files $uri @app; }
                    location @app {
                        {{Params}} fastcgi_buffer_size 32k; fastcgi_buffers 16 32k;
                        fastcgi_keep_conn on; fastcgi_pass app{{i}};
                    }
                }
                """);
        }

        await File.WriteAllTextAsync(directory.File("nginx.conf"), text.Append('}').ToString());
        var start = Stopwatch.GetTimestamp();
        var run = await ToolRun.OfAsync("doctor", directory.File("nginx.conf"));
        Assert.Equal($"0 found at {servers} fastcgi_pass", run.Output.Trim());
        return Stopwatch.GetElapsedTime(start);
    }

    private static async Task<ToolRun> CheckAsync(WorkDirectory directory, string address, params string[] arguments)
    {
        await File.WriteAllTextAsync(directory.File("site.conf"), $$"""
            server {
                listen 80;
                root /srv/site;
                location ~ \.php$ {
                    {{Params}}
                    fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
                    fastcgi_buffer_size 32k;
                    fastcgi_buffers 16 32k;
                    fastcgi_pass {{address}};
                }
            }
            """);
        return await ToolRun.OfAsync(["doctor", directory.File("site.conf"), .. arguments]);
    }
}
