using FastCgi.Gateway.Tests.Php;
using FastCgi.WebServerKit.Databases;

namespace FastCgi.Gateway.Tests.PhpApplications;

/// <summary>WordPress, not yet installed, below /blog of a Kestrel, with a MariaDB of its own.</summary>
[SupportedOSPlatform("linux")]
internal sealed class WordPressSite : IAsyncDisposable
{
    private readonly WorkDirectory _directory = new();
    private MariaDbServer? _database;
    private PhpFpm? _php;
    private GatewayFront? _front;

    private WordPressSite()
    {
    }

    public Uri Address => new(_front!.Uri, "/blog/");

    public HttpClient Client => _front!.Client;

    /// <summary>What the gateway has logged as a warning or worse, apart from what PHP wrote to STDERR.</summary>
    public IEnumerable<string> Warnings => _front!.Logs.Entries
        .Where(static entry => entry is { Level: >= LogLevel.Warning, EventId.Id: not GatewayEvents.StandardError })
        .Select(static entry => entry.Message);

    public string PhpLog => _php!.Log;

    public static Task<WordPressSite> StartAsync() =>
        new WordPressSite().StartedAsync(static site => site.StartPartsAsync());

    public async ValueTask DisposeAsync()
    {
        await Starting.EndAsync(_front, _php, _database);
        _directory.Dispose();
    }

    /// <summary>The document root of a WordPress that is not yet installed, with a database on a port.</summary>
    internal static async Task<string> PrepareAsync(WorkDirectory directory, int port)
    {
        string root = directory.File("wordpress");
        await UnpackedPackages.CopyAsync("usr/share/wordpress", root);
        await File.WriteAllTextAsync(Path.Combine(root, "wp-config.php"), $"""
            <?php
            define('DB_NAME', 'blog');
            define('DB_USER', 'root');
            define('DB_PASSWORD', '');
            define('DB_HOST', '127.0.0.1:{port}');
            define('DB_CHARSET', 'utf8mb4');
            define('DB_COLLATE', '');
            foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {"{"}
                define($name . '_KEY', 'key of ' . $name);
                define($name . '_SALT', 'salt of ' . $name);
            {"}"}
            // Nothing outside is asked, and nothing happens by itself.
            define('WP_HTTP_BLOCK_EXTERNAL', true);
            define('AUTOMATIC_UPDATER_DISABLED', true);
            define('DISABLE_WP_CRON', true);
            $table_prefix = 'wp_';
            require_once ABSPATH . 'wp-settings.php';

            """);
        return root;
    }

    private async Task StartPartsAsync()
    {
        _database = await MariaDbServer.StartAsync();
        string root = await PrepareAsync(_directory, _database.Port);
        _php = await UnpackedPackages.StartPhpAsync(_directory);
        _front = await GatewayFront.StartAsync(
            application => application.MapFastCgi("/blog/{**path}", _php.Endpoint, options =>
            {
                options.DocumentRoot = root;
                options.FrontController = "/index.php";
                // WordPress offers permalinks without index.php to servers that it knows.
                options.Parameters["SERVER_SOFTWARE"] = "nginx";
            }));
    }
}
