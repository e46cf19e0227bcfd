using FastCgi.SampleTests.Mvc;

namespace FastCgi.SampleTests.Shop;

/// <summary>Looking around in the shop and ordering, asked of whatever serves it.</summary>
public abstract partial class ShopTests(ISampleSite site) : IDisposable
{
    private readonly ShopVisitor _visitor = new(site);

    [Fact]
    public async Task The_home_page_shows_all_fifty_items_inside_the_layout()
    {
        var page = await _visitor.ReadAsync("/");
        Assert.Equal(50, ItemLink().Matches(page).Select(link => link.Value).Distinct().Count());
        Assert.Contains("<a href=\"/\" aria-current=\"page\">Everything</a>", page, StringComparison.Ordinal);
        Assert.Contains("<footer>", page, StringComparison.Ordinal);
        Assert.Matches("(?s)Gooseneck kettle</strong>.*?<span class=\"price\">€68.00</span>", page);
    }

    [Fact]
    public async Task A_department_shows_its_own_items_only()
    {
        var page = await _visitor.ReadAsync("/category/coffee-tea");
        Assert.Equal(9, ItemLink().Count(page));
        Assert.Contains("Gooseneck kettle", page, StringComparison.Ordinal);
        Assert.DoesNotContain("Hammock", page, StringComparison.OrdinalIgnoreCase);
        Assert.Equal(HttpStatusCode.NotFound, (await _visitor.OpenAsync("/category/weapons")).Status);
    }

    [Theory]
    [InlineData("kettle", "pour-over-kettle")]
    [InlineData("NIB brass", "fountain-pen")]
    [InlineData("chef’s", "chef-knife")]
    [InlineData("living frankfurt", "wall-clock")]
    public async Task A_search_finds_items_in_which_all_words_occur(string words, string slug)
    {
        var page = await _visitor.ReadAsync($"/search?q={Uri.EscapeDataString(words)}");
        Assert.Equal($"/item/{slug}", Assert.Single(ItemLink().Matches(page)).Value);
        Assert.Contains($"value=\"{words}\"", page, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("   ")]
    [InlineData("kettle motorcycle")]
    [InlineData("%")]
    [InlineData("k_ttle")]
    [InlineData("!")]
    [InlineData("' OR 1=1 --")]
    public async Task A_search_for_what_is_not_there_finds_nothing(string words)
    {
        Assert.Empty(ItemLink().Matches(await _visitor.ReadAsync($"/search?q={Uri.EscapeDataString(words)}")));
    }

    [Fact]
    public async Task What_was_searched_for_comes_back_encoded()
    {
        var page = await _visitor.OpenAsync("/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E");
        Assert.Equal(HttpStatusCode.OK, page.Status);
        Assert.DoesNotContain("<script", page.Text, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("&lt;script&gt;", page.Text, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.BadRequest, (await _visitor.OpenAsync($"/search?q={new string('a', 81)}")).Status);
    }

    [Fact]
    public async Task An_item_has_a_page_with_its_picture_price_and_stock()
    {
        var page = await _visitor.ReadAsync("/item/copper-saucepan");
        Assert.Contains("<h1>Copper saucepan</h1>", page, StringComparison.Ordinal);
        Assert.Contains("€89.00", page, StringComparison.Ordinal);
        Assert.Contains("Two millimetres of copper", page, StringComparison.Ordinal);
        Assert.Contains("Only 7 left", page, StringComparison.Ordinal);
        Assert.Contains("alt=\"Copper saucepan\"", page, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/item/unobtainium")]
    [InlineData("/item/COPPER'--")]
    [InlineData("/nowhere")]
    [InlineData("/order/0000000000000000")]
    [InlineData("/order/short")]
    [InlineData("/error/500")]
    public async Task What_is_not_there_is_a_page_of_the_shop_all_the_same(string target)
    {
        var page = await _visitor.OpenAsync(target);
        Assert.Equal((HttpStatusCode.NotFound, "text/html; charset=utf-8"), (page.Status, page.ContentType));
        Assert.Contains("This shelf is empty.", page.Text, StringComparison.Ordinal);
        Assert.Contains("aria-label=\"Departments\"", page.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_method_that_no_page_takes_is_answered_by_a_page_too()
    {
        using var request = new HttpRequestMessage(HttpMethod.Put, new Uri("/nowhere", UriKind.Relative));
        using var response = await _visitor.Browser.SendAsync(request).Within("the answer to PUT");
        var page = await MvcPage.ReadAsync(response);
        Assert.Equal(HttpStatusCode.MethodNotAllowed, page.Status);
        Assert.Contains("We did not understand that.", page.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Pictures_may_be_kept_for_ever_since_their_address_changes_with_them()
    {
        var home = await _visitor.ReadAsync("/");
        var addresses = Picture().Matches(home).Select(picture => picture.Value).Distinct().ToList();
        Assert.Equal(50, addresses.Count);

        var target = new Uri(addresses[0], UriKind.Relative);
        using var picture = await _visitor.Browser.GetAsync(target).Within("the picture");
        Assert.Equal((HttpStatusCode.OK, "image/svg+xml"),
            (picture.StatusCode, picture.Content.Headers.ContentType?.MediaType));
        Assert.Contains("immutable", picture.Headers.CacheControl!.ToString(), StringComparison.Ordinal);
        Assert.True(picture.Headers.CacheControl.MaxAge >= TimeSpan.FromDays(300));

        using var again = new HttpRequestMessage(HttpMethod.Get, target);
        again.Headers.IfNoneMatch.Add(picture.Headers.ETag!);
        using var unchanged = await _visitor.Browser.SendAsync(again).Within("the unchanged picture");
        Assert.Equal(HttpStatusCode.NotModified, unchanged.StatusCode);
    }

    [Fact]
    public async Task Who_only_looks_gets_no_cookie()
    {
        using var response = await _visitor.Browser.GetAsync(new Uri("/", UriKind.Relative)).Within("the home page");
        Assert.False(response.Headers.Contains("Set-Cookie"));
        Assert.Contains(
            "frame-ancestors 'none'", response.Headers.GetValues("Content-Security-Policy").Single(),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_health_check_answers()
    {
        Assert.Equal("Healthy", (await _visitor.OpenAsync("/health")).Text);
    }

    public void Dispose() => _visitor.Dispose();

    [GeneratedRegex("/item/[a-z-]+")]
    private static partial Regex ItemLink();

    [GeneratedRegex(@"/items/[a-z-]+\.[a-z0-9]+\.svg")]
    private static partial Regex Picture();
}
