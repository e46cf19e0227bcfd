using FastCgi.WebServerKit.Browsers;

namespace FastCgi.Gateway.Tests.PhpApplications;

/// <summary>DokuWiki on this server behind nginx by MapFastCgi. Its pages are PATH_INFO of doku.php.</summary>
[SupportedOSPlatform("linux")]
[Collection("PHP applications, one browser at a time")]
public sealed class DokuWikiTests : IAsyncLifetime
{
    private readonly WorkDirectory _directory = new();
    private SiteBehindNginx? _site;

    /// <remarks>The framework does not dispose what did not start.</remarks>
    public async ValueTask InitializeAsync() => await this.StartedAsync(static tests => tests.StartAsync());

    [Fact]
    public async Task A_page_is_written_and_read_and_an_image_uploaded()
    {
        await using var browser = await Chromium.StartAsync(Viewport.Desktop);
        await browser.OpenAsync(new Uri(_site!.Address, "/wiki/doku.php/notes:gateway"));
        await browser.FollowAsync("#dokuwiki__pagetools .create a");
        await browser.AppendAsync("#wiki__text", "====== The gateway ======\n\nIt leads to **PHP**.");
        await browser.FollowAsync("#edbtn__save");
        Assert.Equal("The gateway", await browser.TextAsync("h1.sectionedit1"));
        Assert.Equal("/wiki/doku.php/notes/gateway", (await browser.AddressAsync()).AbsolutePath.Replace(':', '/'));
        Assert.Equal("PHP", await browser.TextAsync(".level1 strong"));

        // The media manager uploads by script.
        await browser.OpenAsync(
            new Uri(_site.Address, "/wiki/doku.php/notes:gateway?do=media&ns=notes&tab_files=upload"));
        await browser.AppendAsync(
            ".qq-upload-button input",
            UnpackedPackages.PathOf("usr/share/dokuwiki/lib/images/fileicons/32x32/png.png"));
        await browser.ClickAsync("#mediamanager__upload_button");
        await browser.WaitForTextAsync(".qq-upload-success .qq-upload-file, .success .qq-upload-file", "png.png");

        using var client = TestClient.Create(new IPEndPoint(IPAddress.Loopback, _site.Address.Port));
        using var image = await client.GetAsync("/wiki/lib/exe/fetch.php/notes:png.png").Within("the image");
        Assert.Equal("image/png", image.Content.Headers.ContentType!.MediaType);
        using var secret = await client.GetAsync("/wiki/data/pages/notes/gateway.txt").Within("an answer");
        Assert.Equal(HttpStatusCode.NotFound, secret.StatusCode);
        Assert.DoesNotContain("PHP Fatal", _site.PhpLog);
    }

    public async ValueTask DisposeAsync()
    {
        await Starting.EndAsync(_site);
        _directory.Dispose();
    }

    /// <summary>The document root of a wiki that everybody may write to.</summary>
    internal static async Task<string> PrepareAsync(WorkDirectory directory)
    {
        string root = directory.File("wiki");
        await UnpackedPackages.CopyAsync("usr/share/dokuwiki", root);
        foreach (string part in (string[])["data", "lib/plugins", "lib/tpl"])
        {
            await UnpackedPackages.CopyAsync($"var/lib/dokuwiki/{part}", Path.Combine(root, part));
        }

        UnpackedPackages.CopyFiles("etc/dokuwiki", Path.Combine(root, "conf"));
        await File.WriteAllTextAsync(Path.Combine(root, "inc", "preload.php"), "<?php\n");
        await File.WriteAllTextAsync(Path.Combine(root, "conf", "local.php"), """
            <?php
            $conf['title'] = 'A wiki';
            $conf['license'] = '0';
            $conf['useacl'] = 0;
            $conf['userewrite'] = 2;
            $conf['savedir'] = './data';
            $conf['updatecheck'] = 0;

            """);
        return root;
    }

    private async Task StartAsync() => _site = await SiteBehindNginx.StartAsync(
        _directory, "/wiki", await PrepareAsync(_directory), "data", "conf", "bin", "inc", "vendor");
}
