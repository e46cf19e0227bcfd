namespace FastCgi.SampleTests.Shop;

/// <summary>The shop behind the nginx.conf that lies beside it.</summary>
public sealed class ShopBehindItsNginx : ServedSample
{
    /// <summary>Does something while the database lacks a table.</summary>
    internal async Task WithoutAsync(string table, Func<Task> act)
    {
        var database = Files.File("data/shop.db");
        await SqliteFile.ExecuteAsync(database, $"ALTER TABLE {table} RENAME TO away");
        try
        {
            await act();
        }
        finally
        {
            await SqliteFile.ExecuteAsync(database, $"ALTER TABLE away RENAME TO {table}");
        }
    }

    /// <summary>Development, where styles come out of the project before it is published.</summary>
    private protected override Task<ProcessSite> StartAsync(string data) => SampleProgram.StartBehindNginxAsync(
        "Shop", arguments: ["--environment", "Development", "--data", data]);
}

/// <summary>What a visitor meets while the shop restarts, or cannot use its database.</summary>
public sealed class ShopRestartTests(ShopBehindItsNginx shop, Browsers browsers) : IClassFixture<ShopBehindItsNginx>
{
    private ProcessSite Site => shop.Site;

    [Fact]
    public async Task An_order_during_a_restart_is_placed_once_when_the_page_is_loaded_again()
    {
        await using var browser = await browsers.OpenAsync(Viewport.Phone);
        await OpenAsync(browser, "item/enamel-mug");
        await browser.FollowAsync("#add");
        await browser.FollowAsync("#checkout");
        await ShopVisitor.FillInAsync(browser);

        Assert.Equal(0, await Site.StopAsync());
        await browser.FollowAsync("#order");
        Assert.Equal("One moment, please.", await browser.TextAsync("h1"));
        await browser.SaveScreenshotAsync(Repository.Artifact("shop-restart-phone.png"));

        await Site.StartAgainAsync();
        await browser.RunAsync("location.reload()");
        await browser.WaitForTextAsync("h1", "Thank you, Zoë Müller.");
        Assert.Contains("Enamel mug", await browser.TextAsync(".receipt"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_basket_is_kept_over_a_restart()
    {
        await using var browser = await browsers.OpenAsync(Viewport.Desktop);
        await OpenAsync(browser, "item/enamel-mug");
        await browser.TypeAsync("#quantity", "3");
        await browser.FollowAsync("#add");
        Assert.Equal(0, await Site.StopAsync());
        await Site.StartAgainAsync();
        await OpenAsync(browser, "basket");
        Assert.Equal("3", await browser.ValueAsync(".change input[type=number]"));
    }

    [Fact]
    public async Task Back_asks_nothing_after_a_mistake_and_an_order()
    {
        await using var browser = await browsers.OpenAsync(Viewport.Phone);
        await OpenAsync(browser, "item/enamel-mug");
        await browser.FollowAsync("#add");
        await browser.FollowAsync("#checkout");
        await browser.FollowAsync("#order");
        await browser.WaitUntilAsync("document.activeElement.id === 'Form_Name'");
        var isAbove = await browser.RunAsync(
            """
            const box = selector => document.querySelector(selector).getBoundingClientRect();
            return box("#total").bottom < box("#order").top && box("#Form_Note").bottom < box("#total").top;
            """);
        Assert.True(isAbove.GetBoolean(), "On a phone the total stands between the fields and the button.");

        await ShopVisitor.FillInAsync(browser);
        await browser.FollowAsync("#order");
        Assert.Equal("Thank you, Zoë Müller.", await browser.TextAsync("h1"));
        await browser.RunAsync("history.back()");
        await browser.WaitUntilAsync("document.querySelector('h1')?.innerText !== 'Thank you, Zoë Müller.'");
        Assert.DoesNotContain(
            "ERR_CACHE_MISS", await browser.TextAsync("body"), StringComparison.Ordinal);
        Assert.True(await browser.TextAsync("h1") is "Checkout" or "Your basket");
    }

    [Fact]
    public async Task The_shop_is_unhealthy_without_one_of_its_tables()
    {
        Assert.Equal(HttpStatusCode.OK, await HealthAsync());
        await shop.WithoutAsync("orders", async () =>
            Assert.Equal(HttpStatusCode.ServiceUnavailable, await HealthAsync()));
    }

    [Fact]
    public Task The_page_of_an_error_needs_no_database() => shop.WithoutAsync("baskets", async () =>
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("basket", UriKind.Relative));
        request.Headers.Add("Cookie", $"shop={new string('0', 32)}");
        using var answer = await Site.Client.SendAsync(request)
            .Within("the error page", deadline: TimeSpan.FromSeconds(30));
        var page = await answer.Content.ReadAsStringAsync().Within("its text");

        Assert.Equal(HttpStatusCode.InternalServerError, answer.StatusCode);
        Assert.Contains("Something broke on our side.", page, StringComparison.Ordinal);
    });

    private Task OpenAsync(Chromium browser, string page) =>
        browser.OpenAsync(new Uri(shop.Address, page));

    private async Task<HttpStatusCode> HealthAsync()
    {
        using var answer = await Site.Client.GetAsync(new Uri("health", UriKind.Relative)).Within("the health");
        return answer.StatusCode;
    }
}
