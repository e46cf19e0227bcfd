using FastCgi.Gateway.Tests.Php;

namespace FastCgi.Gateway.Tests.Documentation;

/// <summary>The nginx files of docs/from-php-fpm.md, with a real PHP-FPM: before the move, after it, and between.</summary>
[SupportedOSPlatform("linux")]
public sealed class FromPhpFpmTests : IAsyncLifetime
{
    private static readonly string _page = Path.Combine(Repository.Root, "docs", "from-php-fpm.md");

    private readonly WorkDirectory _directory = new();
    private readonly List<IAsyncDisposable> _started = [];
    private string _application = "";
    private string _php = "";

    public async ValueTask InitializeAsync()
    {
        Directory.CreateDirectory(_directory.File("public"));
        Directory.CreateDirectory(_directory.File("wwwroot"));
        await File.WriteAllTextAsync(_directory.File("wwwroot/site.css"), "a file");
        await File.WriteAllTextAsync(
            _directory.File("public/index.php"), "<?php echo 'PHP ', $_SERVER['REQUEST_URI'];");
        var php = await PhpFpm.StartAsync(_directory);
        _started.Add(php);
        _php = php.Endpoint;

        var socket = _directory.File("app.sock");
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseFastCgi(options => options.ListenUnixSocket(socket));
        var application = builder.Build();
        _started.Add(application);
        application.MapGet("/{*path}", static (HttpRequest request) =>
            $"ASP.NET Core {request.Host}{request.Path}{request.QueryString}");
        await application.StartAsync().Within("the start of the application");
        _application = $"unix:{socket}";
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var one in Enumerable.Reverse(_started))
        {
            await one.DisposeAsync();
        }

        _directory.Dispose();
    }

    [Theory]
    [InlineData(0, "/shop/7?x=1", "PHP /shop/7?x=1")]
    [InlineData(1, "/shop/7?x=1", "ASP.NET Core {0}/shop/7?x=1")]
    [InlineData(1, "/old.php", "ASP.NET Core {0}/old.php")]
    [InlineData(2, "/shop/7?x=1", "PHP /shop/7?x=1")]
    [InlineData(2, "/account/orders?x=1", "ASP.NET Core {0}/account/orders?x=1")]
    [InlineData(2, "/account/a.php", "ASP.NET Core {0}/account/a.php")]
    [InlineData(3, "/shop/7?x=1", "ASP.NET Core {0}/shop/7?x=1")]
    [InlineData(3, "/", "ASP.NET Core {0}/")]
    [InlineData(3, "/site.css", "a file")]
    [InlineData(3, "/made.png", "ASP.NET Core {0}/made.png")]
    public async Task A_file_of_the_page_serves(int file, string target, string answer)
    {
        await using var nginx = await StartAsync(MarkdownBlocks.Read(_page, "nginx").ElementAt(file));
        using var client = TestClient.Create(nginx.EndPoint);

        Assert.Equal(
            answer.Replace("{0}", nginx.EndPoint.ToString(), StringComparison.Ordinal),
            await client.GetStringAsync(target).Within("the answer"));
    }

    [Fact]
    public async Task An_address_with_the_script_leads_to_the_same_without_it()
    {
        await using var nginx = await StartAsync(MarkdownBlocks.Read(_page, "nginx").ElementAt(3));
        using var client = TestClient.Create(nginx.EndPoint);

        using var response = await client.GetAsync("/index.php/shop/7?x=1").Within("the answer");

        Assert.Equal(HttpStatusCode.MovedPermanently, response.StatusCode);
        Assert.Equal("/shop/7?x=1", response.Headers.Location?.PathAndQuery);
    }

    /// <summary>What the tables of the page say about lines of PHP that stay beside the new location.</summary>
    [Theory]
    [InlineData("location ~* \\.(css|js|png)$ { expires max; }", "/made.png", "404 ")]
    [InlineData("location ~* \\.(css|js|png)$ { try_files $uri /index.php$request_uri; }", "/made.png", "500 ")]
    [InlineData("location ~ \\.php$ { return 404; }", "/old.php", "404 ")]
    [InlineData("location = /favicon.ico { log_not_found off; }", "/favicon.ico", "404 ")]
    [InlineData("location = / { if ($http_user_agent ~ ^DavClnt) { return 302 /dav; } }", "/", "404 ")]
    [InlineData("root {0}; location = / { if ($http_user_agent ~ ^DavClnt) { return 302 /dav; } }", "/", "403 ")]
    [InlineData("location ~ ^/(config|data)/ { return 404; }", "/data/7", "404 ")]
    [InlineData("location ~ /\\. { deny all; }", "/.well-known/a", "403 ")]
    [InlineData("location /shop { try_files $uri $uri/ /index.php?$args; }", "/shop/7?x=1", "200 /index.php?x=1")]
    [InlineData("index index.php; fastcgi_index index.php;", "/shop/", "200 /shop/")]
    [InlineData("fastcgi_split_path_info ^(.+\\.php)(/.*)$;", "/a.php/shop/7", "200 /a.php/shop/7")]
    [InlineData("fastcgi_param HTTPS on;", "/shop/7", "200 /shop/7")]
    [InlineData("fastcgi_buffers 64 4k; fastcgi_request_buffering off;", "/shop/7", "200 /shop/7")]
    [InlineData("fastcgi_intercept_errors on; fastcgi_max_temp_file_size 0;", "/shop/7", "200 /shop/7")]
    public async Task A_leftover_of_PHP_does_what_the_page_says(string lines, string target, string answer)
    {
        var site = MarkdownBlocks.Read(_page, "nginx").ElementAt(1);
        await using var nginx = await StartAsync(site.Replace(
            "listen 80;",
            $"listen 80; {lines.Replace("{0}", _directory.File("wwwroot"), StringComparison.Ordinal)}",
            StringComparison.Ordinal));
        using var client = TestClient.Create(nginx.EndPoint);
        using var response = await client.GetAsync(target).Within("the answer");
        var text = await response.Content.ReadAsStringAsync();

        // Of nginx' own answers the status alone.
        var seen = response.IsSuccessStatusCode
            ? text.Replace($"ASP.NET Core {nginx.EndPoint}", "", StringComparison.Ordinal)
            : "";
        Assert.Equal(answer, $"{(int)response.StatusCode} {seen}");
    }

    [Fact]
    public async Task Busy_buffers_of_PHP_are_refused_by_nginx()
    {
        var site = MarkdownBlocks.Read(_page, "nginx").ElementAt(1)
            .Replace("listen 80;", "listen 80; fastcgi_busy_buffers_size 8k;", StringComparison.Ordinal);

        var refusal = await Assert.ThrowsAnyAsync<Exception>(() => StartAsync(site));

        Assert.Contains("\"fastcgi_busy_buffers_size\" must be", refusal.Message, StringComparison.Ordinal);
    }

    private Task<WebServer> StartAsync(string site) => WebServerProgram.Nginx.StartAsync(endPoint => site
        .Replace("listen 80;", $"listen {endPoint};", StringComparison.Ordinal)
        .Replace("include ", "include /etc/nginx/", StringComparison.Ordinal)
        .Replace("/var/www/shop/public", _directory.File("public"), StringComparison.Ordinal)
        .Replace("/srv/shop/wwwroot", _directory.File("wwwroot"), StringComparison.Ordinal)
        .Replace("unix:/run/php/php-fpm.sock", _php, StringComparison.Ordinal)
        .Replace("unix:/run/app/app.sock", _application, StringComparison.Ordinal));
}
