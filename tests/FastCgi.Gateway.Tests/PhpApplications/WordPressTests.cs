using FastCgi.WebServerKit.Browsers;

namespace FastCgi.Gateway.Tests.PhpApplications;

/// <summary>WordPress on Kestrel by MapFastCgi, used as its author and its readers do.</summary>
[SupportedOSPlatform("linux")]
[Collection("PHP applications, one browser at a time")]
public sealed class WordPressTests
{
    private const string User = "editor";
    private const string Password = "a long Password 4 tests";

    [Fact]
    public async Task It_is_installed_an_entry_written_an_image_uploaded_and_read()
    {
        await using var site = await WordPressSite.StartAsync();
        await using var browser = await Chromium.StartAsync(Viewport.Desktop);

        // 1. Installation: the front page leads there.
        await browser.OpenAsync(site.Address);
        await browser.TypeAsync("#weblog_title", "The gateway's blog");
        await browser.TypeAsync("#user_login", User);
        // A script proposes a password as soon as it is loaded.
        await browser.WaitUntilAsync("document.querySelector('#pass1').value");
        await browser.TypeAsync("#pass1", Password);
        await browser.TypeAsync("#admin_email", "editor@example.org");
        await browser.FollowAsync("#submit");
        await browser.WaitForTextAsync("h1", "Success!");
        await browser.FollowAsync(".step a");
        // The page moves the focus there once.
        await browser.WaitUntilAsync("document.activeElement.id === 'user_login'");
        await browser.TypeAsync("#user_login", User);
        await browser.TypeAsync("#user_pass", Password);
        await browser.FollowAsync("#wp-submit");

        // 2. Permalinks need the front controller.
        await browser.OpenAsync(new Uri(site.Address, "wp-admin/options-permalink.php"));
        await browser.ClickAsync("#permalink-input-post-name");
        await browser.FollowAsync("#submit");

        // 3. An entry, by the editor, which talks JSON to /wp-json/.
        await browser.OpenAsync(new Uri(site.Address, "wp-admin/post-new.php"));
        await browser.ClickAsync(".components-modal__header button");
        await browser.AppendAsync(".editor-post-title__input", "From Kestrel to PHP");
        await browser.ClickAsync(".editor-post-publish-panel__toggle");
        await browser.ClickAsync(".editor-post-publish-panel .editor-post-publish-button");
        await browser.WaitForTextAsync(".post-publish-panel__postpublish-header", "From Kestrel to PHP is now live.");

        // 4. An image, of which PHP makes smaller ones.
        await browser.OpenAsync(new Uri(site.Address, "wp-admin/media-new.php?browser-uploader"));
        await browser.AppendAsync(
            "#async-upload",
            UnpackedPackages.PathOf("usr/share/wordpress/wp-content/themes/twentytwentythree/screenshot.png"));
        await browser.FollowAsync("#html-upload");
        await browser.ClickAsync(".attachment .thumbnail");
        string image = await browser.ValueAsync("#attachment-details-two-column-copy-link");

        // 5. What a reader gets: the entry by its permalink, the image without PHP, and a page for what is not there.
        await browser.OpenAsync(new Uri(site.Address, "from-kestrel-to-php/"));
        await browser.WaitForTextAsync("h1", "From Kestrel to PHP");
        using var full = await site.Client.GetAsync(image).Within("the image");
        using var small = await site.Client.GetAsync(image.Replace(".png", "-300x225.png")).Within("the thumbnail");
        using var missing = await site.Client.GetAsync(new Uri(site.Address, "no-such-entry/")).Within("a page");
        Assert.Equal("image/png", full.Content.Headers.ContentType!.MediaType);
        Assert.Equal("image/png", small.Content.Headers.ContentType!.MediaType);
        Assert.Equal(HttpStatusCode.NotFound, missing.StatusCode);
        Assert.Contains("The gateway&#039;s blog", await missing.Content.ReadAsStringAsync());
        Assert.Empty(site.Warnings);
        string[] failed = [.. (await browser.ComplaintsAsync())
            .Where(complaint => complaint.Contains(site.Address.AbsoluteUri, StringComparison.Ordinal))];
        Assert.Empty(failed);
        Assert.DoesNotContain("PHP Fatal", site.PhpLog);
    }
}
