using System.Runtime.Versioning;
using FastCgi.Gateway.Tests.Php;
using FastCgi.WebServerKit;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

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
    public async Task A_file_of_the_page_serves(int file, string target, string answer)
    {
        var site = MarkdownBlocks.Read(_page, "nginx").ElementAt(file);
        await using var nginx = await NginxServer.StartAsync(endPoint => site
            .Replace("listen 80;", $"listen {endPoint};", StringComparison.Ordinal)
            .Replace("include ", "include /etc/nginx/", StringComparison.Ordinal)
            .Replace("/var/www/shop/public", _directory.File("public"), StringComparison.Ordinal)
            .Replace("unix:/run/php/php-fpm.sock", _php, StringComparison.Ordinal)
            .Replace("unix:/run/app/app.sock", _application, StringComparison.Ordinal));
        using var client = TestClient.Create(nginx.EndPoint);

        Assert.Equal(
            answer.Replace("{0}", nginx.EndPoint.ToString(), StringComparison.Ordinal),
            await client.GetStringAsync(target).Within("the answer"));
    }
}
