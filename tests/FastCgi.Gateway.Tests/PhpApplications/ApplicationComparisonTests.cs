using FastCgi.WebServerKit.Databases;

namespace FastCgi.Gateway.Tests.PhpApplications;

/// <summary>Each path of an application has the answer that it has behind nginx, with the same PHP-FPM.</summary>
[SupportedOSPlatform("linux")]
[Collection("PHP applications, one browser at a time")]
public sealed partial class ApplicationComparisonTests
{
    private const string Type = "a file of an unknown type is not sent";

    /// <summary>Without an IMAP server nobody logs in, so this ends at the form.</summary>
    [Fact]
    public async Task Roundcube()
    {
        using var directory = new WorkDirectory();
        string configuration = directory.Subdirectory("configuration");
        UnpackedPackages.CopyFiles("etc/roundcube", configuration);
        await File.WriteAllTextAsync(Path.Combine(configuration, "config.inc.php"), $"""
            <?php
            $config['db_dsnw'] = 'sqlite:///{directory.File("mail.db")}';
            $config['session_storage'] = 'php';
            $config['imap_host'] = '127.0.0.1:1';
            $config['des_key'] = '{new string('k', 24)}';
            $config['log_dir'] = '{directory.Path}';
            $config['temp_dir'] = '{directory.Path}';
            $config['plugins'] = ['jqueryui'];
            $config['skin'] = 'elastic';

            """);
        await using ComparedSite site = await ComparedSite.StartAsync(
            directory,
            "/mail",
            UnpackedPackages.PathOf("var/lib/roundcube/public_html"),
            variables: new Dictionary<string, string> { ["ROUNDCUBE_CONFIG_DIR"] = configuration });
        await site.AssertSameAsync(
            [
                "/mail",
                "/mail/",
                "/mail/?_task=login",
                "/mail/index.php",
                "/mail/index.php/x",
                "/mail/?_task=mail&_mbox=INBOX",
                "/mail/program/js/jquery.min.js",
                "/mail/program/js/app.min.js",
                "/mail/program/js/common.min.js",
                "/mail/program/resources/blank.gif",
                "/mail/program/resources/error.html",
                "/mail/program/resources/dummy.pdf",
                "/mail/program/resources/",
                "/mail/program/resources",
                "/mail/skins/elastic/styles/styles.min.css",
                "/mail/skins/elastic/deps/bootstrap.min.css",
                "/mail/skins/elastic/deps/bootstrap.bundle.min.js",
                "/mail/skins/elastic/ui.min.js",
                "/mail/skins/elastic/watermark.html",
                "/mail/skins/elastic/meta.json",
                "/mail/skins/elastic/fonts/fa-solid-900.woff2",
                "/mail/plugins/jqueryui/js/jquery-ui.min.js",
                "/mail/plugins/jqueryui/jqueryui.php",
                "/mail/../etc/passwd",
                "/mail/nothing.php",
                "/mail/nothing",
            ],
            new Dictionary<string, string>
            {
                ["/mail/program/js/app.min.js.map"] = Type,
                ["/mail/skins/elastic/ui.min.js.gz"] = Type,
            });
        Assert.Contains(
            "rcmloginuser", await site.Gateway.GetStringAsync("/mail/").Within("the form"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task DokuWiki_with_an_upload_of_200_MB()
    {
        using var directory = new WorkDirectory();
        string root = await DokuWikiTests.PrepareAsync(directory);
        await using ComparedSite site = await ComparedSite.StartAsync(
            directory, "/wiki", root, closed: ["data", "conf", "bin", "inc", "vendor"]);
        await site.AssertSameAsync(
            [
                "/wiki",
                "/wiki/",
                "/wiki/doku.php",
                "/wiki/doku.php/start",
                "/wiki/doku.php/wiki:syntax",
                "/wiki/doku.php/a/b",
                "/wiki/doku.php/%C3%A4",
                "/wiki/doku.php?do=index",
                "/wiki/doku.php/start?do=recent",
                "/wiki/lib/exe/css.php?t=dokuwiki",
                "/wiki/lib/exe/fetch.php/none.png",
                "/wiki/lib/exe/detail.php/none.png",
                "/wiki/lib/exe/opensearch.php",
                "/wiki/lib/exe/ajax.php?call=none",
                "/wiki/feed.php",
                "/wiki/lib/tpl/dokuwiki/images/favicon.ico",
                "/wiki/lib/images/fileicons/32x32/png.png",
                "/wiki/lib/",
                "/wiki/lib",
                "/wiki/lib/exe/",
                "/wiki/data/pages/start.txt",
                "/wiki/conf/local.php",
                "/wiki/inc/init.php",
                "/wiki/install.php",
                "/wiki/nothing",
            ]);

        byte[] file = new byte[200_000_000];
        new Random(1).NextBytes(file);
        using var client = new HttpClient { BaseAddress = site.Gateway.BaseAddress, Timeout = Deadline.Of(TimeSpan.FromMinutes(2)) };
        using var form = new MultipartFormDataContent { { new ByteArrayContent(file), "qqfile", "large.zip" } };
        using var answer = await client.PostAsync("/wiki/lib/exe/ajax.php?call=mediaupload&ns=notes&qqfile=large.zip", form)
            .Within("an answer", deadline: TimeSpan.FromMinutes(2));
        Assert.Contains(
            "Upload successful", await answer.Content.ReadAsStringAsync().Within("the result"), StringComparison.Ordinal);
        byte[] stored = await File.ReadAllBytesAsync(Path.Combine(root, "data", "media", "notes", "large.zip"));
        Assert.True(file.AsSpan().SequenceEqual(stored), $"{stored.Length} bytes were stored, or others.");
    }

    [Fact]
    public async Task PhpMyAdmin()
    {
        using var directory = new WorkDirectory();
        string root = await PhpMyAdminTests.PrepareAsync(directory, port: 1);
        await using ComparedSite site = await ComparedSite.StartAsync(
            directory, "/admin", root, closed: ["libraries", "templates", "sql"]);
        await site.AssertSameAsync(
            [
                "/admin",
                "/admin/",
                "/admin/index.php",
                "/admin/index.php?route=/",
                "/admin/index.php?route=/server/databases",
                "/admin/index.php/x",
                "/admin/js/messages.php",
                "/admin/js/dist/cross_framing_protection.js",
                "/admin/themes/pmahomme/css/theme.css",
                "/admin/themes/pmahomme/img/logo_right.png",
                "/admin/themes/",
                "/admin/themes",
                "/admin/favicon.ico",
                "/admin/robots.txt",
                "/admin/url.php?url=https://www.phpmyadmin.net/",
                "/admin/show_config_errors.php",
                "/admin/libraries/vendor_config.php",
                "/admin/templates/login/form.twig",
                "/admin/sql/create_tables.sql",
                "/admin/nothing",
            ]);
    }

    [Fact]
    public async Task WordPress_with_an_upload_of_200_MB()
    {
        const string Password = "a long Password 4 tests";
        using var directory = new WorkDirectory();
        await using var database = await MariaDbServer.StartAsync();
        string root = await WordPressSite.PrepareAsync(directory, database.Port);
        await using ComparedSite site = await ComparedSite.StartAsync(directory, "/blog", root, "/index.php");
        await site.AssertSameAsync(["/blog/", "/blog/wp-admin/install.php", "/blog/wp-login.php"]);

        // One address for both, because WordPress writes it into its database.
        var address = IPEndPoint.Parse(site.Gateway.BaseAddress!.Authority);
        using var client = new HttpClient(new SocketsHttpHandler
        {
            ConnectCallback = async (_, cancellationToken) =>
            {
                var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
                await socket.ConnectAsync(address, cancellationToken);
                return new NetworkStream(socket, ownsSocket: true);
            },
        })
        {
            BaseAddress = new Uri("http://site.example/"),
            Timeout = Deadline.Of(TimeSpan.FromMinutes(2)),
        };
        string installed = await PostAsync("/blog/wp-admin/install.php?step=2", new FormUrlEncodedContent(
            new Dictionary<string, string>
            {
                ["weblog_title"] = "A blog",
                ["user_name"] = "editor",
                ["admin_password"] = Password,
                ["admin_password2"] = Password,
                ["pw_weak"] = "on",
                ["admin_email"] = "editor@example.org",
                ["blog_public"] = "0",
            }));
        Assert.Contains("Success!", installed, StringComparison.Ordinal);
        await site.AssertSameAsync(
            [
                "/blog",
                "/blog/",
                "/blog/?p=1",
                "/blog/?p=99",
                "/blog/index.php",
                "/blog/index.php/x",
                "/blog/hello-world/",
                "/blog/feed/",
                "/blog/?feed=rss2",
                "/blog/wp-login.php",
                "/blog/wp-login.php?action=lostpassword",
                "/blog/wp-admin",
                "/blog/wp-admin/",
                "/blog/wp-admin/post-new.php",
                "/blog/wp-admin/load-styles.php?c=0&load=common",
                "/blog/wp-json/",
                "/blog/?rest_route=/wp/v2/posts",
                "/blog/wp-cron.php",
                "/blog/xmlrpc.php",
                "/blog/wp-config.php",
                "/blog/wp-content/",
                "/blog/wp-content/themes",
                "/blog/wp-content/themes/twentytwentythree/style.css",
                "/blog/wp-content/themes/twentytwentythree/screenshot.png",
                "/blog/wp-includes/js/jquery/jquery.min.js",
                "/blog/wp-includes/version.php",
                "/blog/robots.txt",
                "/blog/nothing.php",
                "/blog/a%2Fb",
            ]);

        // The author logs in and uploads; the form of the upload has a token.
        await client.GetStringAsync("/blog/wp-login.php").Within("the form");
        await PostAsync("/blog/wp-login.php", new FormUrlEncodedContent(new Dictionary<string, string>
        {
            ["log"] = "editor",
            ["pwd"] = Password,
            ["testcookie"] = "1",
        }));
        string page = await client.GetStringAsync("/blog/wp-admin/media-new.php?browser-uploader").Within("the form");
        byte[] file = new byte[200_000_000];
        new Random(1).NextBytes(file);
        await PostAsync("/blog/wp-admin/media-new.php?browser-uploader", new MultipartFormDataContent
        {
            { new StringContent(Nonce().Match(page).Groups[1].Value), "_wpnonce" },
            { new StringContent("Upload"), "html-upload" },
            { new ByteArrayContent(file), "async-upload", "large.zip" },
        });
        byte[] stored = await File.ReadAllBytesAsync(Assert.Single(
            Directory.GetFiles(Path.Combine(root, "wp-content"), "large.zip", SearchOption.AllDirectories)));
        Assert.True(file.AsSpan().SequenceEqual(stored), $"{stored.Length} bytes were stored, or others.");

        async Task<string> PostAsync(string path, HttpContent form)
        {
            using (form)
            {
                using var answer = await client.PostAsync(path, form).Within("an answer", deadline: TimeSpan.FromMinutes(2));
                return await answer.Content.ReadAsStringAsync().Within("the page");
            }
        }
    }

    [GeneratedRegex("""name="_wpnonce" value="(\w+)" """)]
    private static partial Regex Nonce();
}
