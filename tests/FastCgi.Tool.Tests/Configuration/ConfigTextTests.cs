namespace FastCgi.Tool.Tests.Configuration;

/// <summary>What fcgi config makes of its options and of the application's settings.</summary>
public sealed class ConfigTextTests
{
    private const string AtRoot = "location / {";
    private const string Numbered = """ "Endpoints": [ { "Url": "127.0.0.1:9001" }, { "Url": "127.0.0.1:9002" } ] """;
    private const string Sockets = "\"Endpoints\": { \"Sockets\": { \"Url\": \"127.0.0.1:9001\" } }";

    /// <summary>The file has them only where a row expects them.</summary>
    private static readonly string[] s_unexpected = ["ASPNETCORE_PATHBASE", "ports.conf", "bind *"];

    [Theory]
    // --listen is where the web server listens; it does not touch where the application does.
    [InlineData("nginx --listen 65535", "listen 65535;")]
    [InlineData("nginx --listen *:8080", "listen 8080;")]
    [InlineData("nginx --listen localhost:8080", "listen localhost:8080;")]
    [InlineData("haproxy --listen [::1]:8080", "bind [::1]:8080")]
    [InlineData("caddy --listen *:8080", "http://:8080 {")]
    [InlineData("caddy --listen [::1]:8080", "bind ::1\n")]
    [InlineData("h2o --listen 8000 --endpoint 127.0.0.1:8080", "listen:\n  port: 8000\n", "          port: 8080\n")]
    [InlineData("h2o --listen 9000 --endpoint 127.0.0.1:8080", "listen:\n  port: 9000\n", "          port: 8080\n")]
    [InlineData("h2o --listen 80 --endpoint 127.0.0.1:9000", "listen:\n  port: 80\n", "          port: 9000\n")]
    // The port of a site with TLS alone is that of TLS.
    [InlineData("apache --listen 443 --certificate /a.pem --key /a.key", "<VirtualHost *:443>")]
    [InlineData("caddy --listen 443 --certificate /a.pem --key /a.key", "https://:443 {")]
    // Apache of Debian opens the usual ports by itself, and others only with a line in another file.
    [InlineData("apache --listen 80", "<VirtualHost *:80>")]
    [InlineData("apache --listen 127.0.0.1:80", "<VirtualHost 127.0.0.1:80>")]
    [InlineData("apache --listen 443", "<VirtualHost *:443>")]
    [InlineData("apache --listen 8080", "in /etc/apache2/ports.conf: Listen 8080\n<VirtualHost ")]
    [InlineData(
        "apache --listen 127.0.0.1:9000 --endpoint 127.0.0.1:8080",
        "# Apache opens this port only with this line in /etc/apache2/ports.conf: Listen 127.0.0.1:9000\n<VirtualHost ",
        "<VirtualHost 127.0.0.1:9000>",
        "\"fcgi://127.0.0.1:8080/\"")]
    // The names of the site, and its path.
    [InlineData("nginx --server-name *.example.com", "*.example.com")]
    [InlineData("nginx --server-name ~^(www|shop)\\.example\\.com$", "~^(www|shop)\\.example\\.com$")]
    [InlineData("nginx --server-name ", "server_name _;")]
    [InlineData("nginx --path-base /", AtRoot)]
    [InlineData("nginx --path-base //", AtRoot)]
    [InlineData("nginx --path-base /a%20b", "ASPNETCORE_PATHBASE /a%20b;")]
    // An endpoint of SCGI has an upstream of its own.
    [InlineData("nginx --site shop", "upstream shop {")]
    [InlineData("nginx --site shop --endpoint scgi://127.0.0.1:9001", "upstream shop_ws {", "scgi_pass shop_ws;")]
    // HAProxy takes the key of the certificate's file alone.
    [InlineData("haproxy --certificate /a.pem --key /a.pem.key", "crt /a.pem\n")]
    [InlineData("haproxy --certificate /a.pem --key /a.pem", "crt /a.pem\n")]
    // The units of systemd; the socket listens where the application would.
    [InlineData("systemd --user web.user_1", "web.user_1")]
    [InlineData("systemd --group 1000", "1000")]
    [InlineData("systemd --endpoint *:9000", "\nListenStream=9000\n")]
    [InlineData("systemd --endpoint 0.0.0.0:9000", "\nListenStream=0.0.0.0:9000\n")]
    [InlineData("systemd --endpoint localhost:9000", "\nListenStream=127.0.0.1:9000\n")]
    [InlineData("systemd --endpoint [::1]:9000", "\nListenStream=[::1]:9000\n")]
    [InlineData("systemd --endpoint @app", "\nListenStream=@app\n")]
    [InlineData(
        "systemd --program /srv/shop/Shop.dll --user shop --group nginx --endpoint unix:/run/shop/shop.sock",
        "ExecStart=/usr/bin/dotnet /srv/shop/Shop.dll",
        "WorkingDirectory=/srv/shop",
        "User=shop",
        "\nGroup=shop",
        "SocketUser=shop",
        "SocketGroup=nginx",
        "StateDirectory=shop\n",
        "ListenStream=/run/shop/shop.sock")]
    // A program below the documented state directory keeps its path.
    [InlineData(
        "systemd --site shop --program /var/lib/apps/shop/Shop",
        "\nExecStart=/var/lib/apps/shop/Shop\n",
        "\nWorkingDirectory=/var/lib/apps/shop\n",
        "\nEnvironment=HOME=/var/lib/shop DOTNET_CLI_HOME=/var/lib/shop\n")]
    public async Task Options_are_written(string options, params string[] expected) =>
        AssertWritten(await ToolRun.OfAsync(["config", .. options.Split(' ')]), expected);

    [Theory]
    // Web server and application agree on where the application is mounted.
    [InlineData("nginx --path-base /app", "\"PathBase\": \"/app\"", "location /app/ {")]
    [InlineData("nginx --path-base /app", "\"PathBase\": \"/app/\"", "location /app/ {")]
    [InlineData("nginx --path-base /app/", "\"PathBase\": \"/app\"", "location /app/ {")]
    [InlineData("nginx --path-base /app", "\"PathBase\": \"/App\"", "location /app/ {")]
    [InlineData("nginx --path-base /shop", "\"PathBase\": \"/\"", "fastcgi_param ASPNETCORE_PATHBASE /shop;")]
    [InlineData("nginx --path-base /shop", "\"PathBase\": \"//\"", "fastcgi_param ASPNETCORE_PATHBASE /shop;")]
    [InlineData("nginx --path-base /shop", "\"PathBase\": \"\"", "fastcgi_param ASPNETCORE_PATHBASE /shop;")]
    [InlineData("nginx", "\"PathBase\": \"/\"", AtRoot)]
    [InlineData("nginx", "\"PathBase\": \"//\"", AtRoot)]
    [InlineData("nginx", "\"PathBase\": \"\"", AtRoot)]
    // The protocol of an endpoint comes before its scheme, and that before the defaults.
    [InlineData(
        "nginx --name Sockets",
        """ "Endpoints": { "Sockets": { "Url": "127.0.0.1:9001", "Protocol": "scgi" } } """,
        "scgi_pass app_ws;",
        "server 127.0.0.1:9001;")]
    [InlineData(
        "nginx --name Sockets",
        """ "Endpoints": { "Sockets": { "Url": "scgi://127.0.0.1:9001", "Protocol": "FastCgi" } } """,
        "fastcgi_pass app;",
        "server 127.0.0.1:9001;")]
    [InlineData(
        "nginx --name Sockets",
        $$""" "EndpointDefaults": { "Protocol": "Scgi" }, {{Sockets}} """,
        "scgi_pass app_ws;",
        "server 127.0.0.1:9001;")]
    [InlineData(
        "nginx --name Sockets",
        """
        "EndpointDefaults": { "Protocol": "Scgi" },
        "Endpoints": { "Sockets": { "Url": "127.0.0.1:9001", "Protocol": "FastCgi" } }
        """,
        "fastcgi_pass app;",
        "server 127.0.0.1:9001;")]
    [InlineData(
        "nginx --name Sockets",
        """
        "EndpointDefaults": { "Protocol": "FastCgi" }, "Endpoints": { "Sockets": { "Url": "scgi://127.0.0.1:9001" } }
        """,
        "scgi_pass app_ws;",
        "server 127.0.0.1:9001;")]
    [InlineData(
        "nginx --endpoint 127.0.0.1:9002",
        $$""" "EndpointDefaults": { "Protocol": "Scgi" }, {{Sockets}} """,
        "fastcgi_pass app;")]
    // The server reads an array as a section whose names are numbers.
    [InlineData("nginx", Numbered, "server 127.0.0.1:9001;")]
    [InlineData("nginx --name 0", Numbered, "server 127.0.0.1:9001;")]
    [InlineData("nginx --name 1", Numbered, "server 127.0.0.1:9002;")]
    public Task Settings_are_written(string options, string settings, params string[] expected) =>
        AssertWrittenAsync(options, settings, expected);

    [Theory]
    [InlineData("nginx", "*:9000", "server 127.0.0.1:9000;")]
    [InlineData("nginx", "0.0.0.0:9000", "server 127.0.0.1:9000;")]
    [InlineData("nginx", "[::]:9000", "server [::1]:9000;")]
    [InlineData("lighttpd", "*:9000", "\"host\" => \"127.0.0.1\", \"port\" => 9000")]
    [InlineData("lighttpd", "[::]:9000", "\"host\" => \"::1\", \"port\" => 9000")]
    [InlineData("h2o", "*:9000", "host: \"127.0.0.1\"")]
    [InlineData("h2o", "[::]:9000", "host: \"::1\"")]
    public Task An_application_on_all_addresses_is_asked_on_this_machine(string server, string url, string expected) =>
        AssertWrittenAsync(server, $$""" "Endpoints": { "Main": { "Url": "{{url}}" } } """, expected);

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
    public Task The_limit_of_a_body_is_that_of_the_application(string server, string limit, string expected) =>
        AssertWrittenAsync(server, $$""" "Limits": { "MaxRequestBodySize": {{limit}} } """, expected);

    private static async Task AssertWrittenAsync(string options, string settings, params string[] expected) =>
        AssertWritten(
            await ToolRun.OnFileAsync(
                $$"""{ "FastCgi": { {{settings}} } }""",
                ["config", .. options.Split(' '), "--settings", "FILE"]),
            expected);

    private static void AssertWritten(ToolRun run, string[] expected)
    {
        run.Succeeds(expected);
        Assert.All(s_unexpected, unexpected => Assert.Equal(
            expected.Any(text => text.Contains(unexpected, StringComparison.Ordinal)),
            run.Output.Contains(unexpected, StringComparison.Ordinal)));
    }
}
