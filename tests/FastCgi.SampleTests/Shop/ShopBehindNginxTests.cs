namespace FastCgi.SampleTests.Shop;

/// <summary>The shop also as people use it, in a real browser, on a wide screen and on a telephone.</summary>
public sealed class ShopBehindNginxTests(ShopBehindNginx site, Browsers browsers)
    : ShopTests(site), IClassFixture<ShopBehindNginx>
{
    [Theory]
    [InlineData("desktop")]
    [InlineData("phone")]
    public async Task An_item_is_found_put_into_the_basket_and_ordered(string screen)
    {
        await using var browser = await browsers.OpenAsync(
            screen == "phone" ? Viewport.Phone : Viewport.Desktop, site.Address);
        await ShowAsync(browser, "home", screen);
        await browser.TypeAsync("#q", "gooseneck");
        await browser.FollowAsync(".search button");
        Assert.Equal("1 found for “gooseneck”", await browser.TextAsync("h1"));

        await browser.FollowAsync(".card a");
        Assert.Equal("Gooseneck kettle", await browser.TextAsync("h1"));
        await browser.TypeAsync("#quantity", "2");
        await browser.FollowAsync("#add");
        Assert.Equal("€136.00", await browser.TextAsync("#total"));
        Assert.StartsWith("2", await browser.TextAsync("#basket-count"), StringComparison.Ordinal);

        await browser.TypeAsync(".change input[type=number]", "1");
        await browser.FollowAsync(".change button");
        Assert.Equal("€73.90", await browser.TextAsync("#total"));

        await ShowAsync(browser, "basket", screen);

        await browser.FollowAsync("#checkout");
        await browser.TypeAsync("#Form_Name", "Zoë Müller");
        await browser.TypeAsync("#Form_Email", "nowhere");
        await browser.FollowAsync("#order");
        Assert.Equal("This does not look like an e-mail address.", await browser.TextAsync("#email-problem"));
        Assert.Equal("Where do you live?", await browser.TextAsync("#street-problem"));
        Assert.Equal("Zoë Müller", await browser.ValueAsync("#Form_Name"));
        await ShowAsync(browser, "checkout", screen);
        // The mistake was answered by a page of its own.
        Assert.Equal("/checkout", (await browser.AddressAsync()).AbsolutePath);

        await ShopVisitor.FillInAsync(browser);
        await browser.FollowAsync("#order");
        Assert.Equal("Thank you, Zoë Müller.", await browser.TextAsync("h1"));
        Assert.Equal("€73.90", await browser.TextAsync("#total"));
        Assert.StartsWith("/order/", (await browser.AddressAsync()).AbsolutePath, StringComparison.Ordinal);
        Assert.StartsWith("0", await browser.TextAsync("#basket-count"), StringComparison.Ordinal);
        await ShowAsync(browser, "order", screen);
        Assert.Empty(await browser.ComplaintsAsync());
    }

    /// <summary>For people to look at; samples/Shop/screenshots has copies of some.</summary>
    private static Task ShowAsync(Chromium browser, string page, string screen) =>
        browser.SaveScreenshotAsync(Repository.Artifact($"shop-{page}-{screen}.png"));
}
