using FastCgi.WebServerKit.Browsers;
using FastCgi.WebServerKit.Databases;

namespace FastCgi.Gateway.Tests.PhpApplications;

/// <summary>phpMyAdmin on this server behind nginx by MapFastCgi, for a MariaDB.</summary>
[SupportedOSPlatform("linux")]
[Collection("PHP applications, one browser at a time")]
public sealed class PhpMyAdminTests : IAsyncLifetime
{
    private readonly WorkDirectory _directory = new();
    private MariaDbServer? _database;
    private SiteBehindNginx? _site;

    /// <remarks>The framework does not dispose what did not start.</remarks>
    public async ValueTask InitializeAsync() => await this.StartedAsync(static tests => tests.StartAsync());

    [Fact]
    public async Task A_script_is_imported_and_its_rows_are_shown()
    {
        string script = _directory.File("cats.sql");
        await File.WriteAllTextAsync(script, """
            CREATE TABLE cats (name VARCHAR(20), age INT);
            INSERT INTO cats VALUES ('Tom', 3), ('Félix', 5);
            """);
        // At the bottom of a smaller window its console covers buttons.
        await using var browser = await Chromium.StartAsync(new Viewport(1280, 1600, IsPhone: false));
        await browser.OpenAsync(new Uri(_site!.Address, "/admin/"));
        await browser.TypeAsync("#input_username", "root");
        await browser.FollowAsync("#input_go");

        await browser.OpenAsync(new Uri(_site.Address, "/admin/index.php?route=/database/import&db=blog"));
        await WaitForOptionsAsync(browser);
        await browser.AppendAsync("#input_import_file", script);
        await WaitForOptionsAsync(browser);
        await browser.ClickAsync("#buttonGo");
        string result = await browser.WaitForOtherTextAsync(".alert-success", "");
        Assert.StartsWith("Import has been successfully finished, 2 queries executed.", result.Trim());

        await browser.OpenAsync(new Uri(_site.Address, "/admin/index.php?route=/sql&db=blog&table=cats&pos=0"));
        Assert.Equal("Félix", await browser.TextAsync(".table_results tbody tr:nth-child(2) td.data"));
        Assert.DoesNotContain("PHP Fatal", _site.PhpLog);
    }

    public async ValueTask DisposeAsync()
    {
        await Starting.EndAsync(_site, _database);
        _directory.Dispose();
    }

    /// <summary>
    /// The options of a format fade in with the page, and again with the choice of a file. A choice meanwhile hides them
    /// for a third of a second, and the button below them moves away from under a click.
    /// </summary>
    private static Task WaitForOptionsAsync(Chromium browser) =>
        browser.WaitUntilAsync("window.jQuery?.('#sql_options').is(':visible:not(:animated)')");

    /// <summary>The document root of a phpMyAdmin for a database on a port of this machine.</summary>
    internal static async Task<string> PrepareAsync(WorkDirectory directory, int port)
    {
        string root = directory.File("admin");
        await UnpackedPackages.CopyAsync("usr/share/phpmyadmin", root);
        string temporary = directory.Subdirectory("temporary");
        string configuration = Path.Combine(root, "libraries", "vendor_config.php");
        string text = await File.ReadAllTextAsync(configuration);
        await File.WriteAllTextAsync(
            configuration,
            text.Replace(
                $"'{UnpackedPackages.PathOf("etc/phpmyadmin/config.inc.php")}'",
                "ROOT_PATH . 'config.inc.php'",
                StringComparison.Ordinal));
        await File.WriteAllTextAsync(Path.Combine(root, "config.inc.php"), $"""
            <?php
            $cfg['blowfish_secret'] = '{new string('s', 32)}';
            $cfg['TempDir'] = '{temporary}';
            $cfg['Servers'][1]['host'] = '127.0.0.1';
            $cfg['Servers'][1]['port'] = '{port}';
            $cfg['Servers'][1]['auth_type'] = 'cookie';
            $cfg['Servers'][1]['AllowNoPassword'] = true;

            """);
        return root;
    }

    private async Task StartAsync()
    {
        _database = await MariaDbServer.StartAsync();
        string root = await PrepareAsync(_directory, _database.Port);
        _site = await SiteBehindNginx.StartAsync(_directory, "/admin", root, "libraries", "templates", "sql");
    }
}
