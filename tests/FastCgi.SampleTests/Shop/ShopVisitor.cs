using FastCgi.SampleTests.Mvc;

namespace FastCgi.SampleTests.Shop;

/// <summary>Somebody with a browser: walks through the shop and fills in its forms.</summary>
internal sealed partial class ShopVisitor(HttpClient browser) : IDisposable
{
    public ShopVisitor(ISampleSite site)
        : this(site.CreateBrowser())
    {
    }

    public HttpClient Browser => browser;

    public static (string Name, string Value)[] Address { get; } =
    [
        ("Form.Name", "Zoë Müller"), ("Form.Email", "zoe@example.org"), ("Form.Street", "Am Brunnen 3"),
        ("Form.Postcode", "12345"), ("Form.City", "Köln"), ("Form.Country", "Germany"), ("Form.Note", "Ring twice 🔔"),
    ];

    /// <summary>Fills in the checkout's form in a real browser, but for the note.</summary>
    public static async Task FillInAsync(Chromium page)
    {
        foreach (var (name, value) in Address.Where(static field => field.Name is not ("Form.Country" or "Form.Note")))
        {
            await page.TypeAsync($"#{name.Replace('.', '_')}", value);
        }

        await page.ChooseAsync("#Form_Country", "Germany");
    }

    public Task<MvcPage> OpenAsync(string target) => MvcPage.GetAsync(Browser, target);

    /// <summary>Opens a page that must be there.</summary>
    /// <returns>Its HTML, references decoded.</returns>
    public async Task<string> ReadAsync(string target)
    {
        var page = await OpenAsync(target);
        Assert.Equal((HttpStatusCode.OK, "text/html; charset=utf-8"), (page.Status, page.ContentType));
        return WebUtility.HtmlDecode(page.Text);
    }

    /// <summary>Puts an item into the basket by the form on its page.</summary>
    public async Task AddAsync(string slug, int quantity)
    {
        var page = await MvcPage.SubmitAsync(
            Browser, $"/item/{slug}", "/basket?handler=Add", ("slug", slug), ("quantity", $"{quantity}"));
        Assert.Equal((HttpStatusCode.Redirect, "/basket"), (page.Status, page.Location));
    }

    /// <summary>Changes a quantity by the form in the basket.</summary>
    public async Task<MvcPage> ChangeAsync(string slug, int quantity)
    {
        var line = LineOf(slug).Match((await OpenAsync("/basket")).Text);
        Assert.True(line.Success, $"{slug} is not in the basket.");
        return await MvcPage.SubmitAsync(
            Browser, "/basket", "/basket?handler=Change", ($"quantities[{line.Groups[1].Value}]", $"{quantity}"));
    }

    /// <summary>Sends the checkout's form off.</summary>
    public async Task<MvcPage> OrderAsync(params (string Name, string Value)[] fields) =>
        (await OrderAsync(attempts: 1, fields))[0];

    /// <summary>Sends the same form several times at once, as a double click does.</summary>
    public async Task<MvcPage[]> OrderAsync(int attempts, params (string Name, string Value)[] fields)
    {
        var checkout = await OpenCheckoutAsync();
        return await OrderAsync(attempts, checkout, fields);
    }

    /// <summary>The fields that the checkout's page fills in by itself.</summary>
    public async Task<KeyValuePair<string, string>[]> OpenCheckoutAsync()
    {
        var token = await MvcPage.TokenAsync(Browser, "/checkout");
        var page = (await OpenAsync("/checkout")).Text;
        var shown = ShownField().Match(page);
        return
        [
            token,
            new("Number", NumberField().Match(page).Groups[1].Value),
            new("Form.Shown", WebUtility.HtmlDecode(shown.Groups[1].Value)),
        ];
    }

    /// <summary>Sends a checkout's form that was opened before.</summary>
    public async Task<MvcPage[]> OrderAsync(
        int attempts, KeyValuePair<string, string>[] checkout, params (string Name, string Value)[] fields)
    {
        KeyValuePair<string, string>[] all =
        [
            .. checkout,
            .. fields.Select(static field => KeyValuePair.Create(field.Name, field.Value)),
        ];
        return await Task.WhenAll(Enumerable.Range(0, attempts).Select(async _ =>
        {
            using var form = new FormUrlEncodedContent(all);
            using var response = await Browser.PostAsync(new Uri("/checkout", UriKind.Relative), form)
                .Within("an order");
            var page = await MvcPage.ReadAsync(response);
            // A form with a mistake is shown again by the page that the browser is sent to.
            return page.Location == "/checkout" ? await OpenAsync("/checkout") : page;
        }));
    }

    /// <summary>Orders with a good address.</summary>
    /// <returns>The confirmation's HTML, references decoded.</returns>
    public async Task<string> OrderAsync()
    {
        var page = await OrderAsync(Address);
        Assert.Equal(HttpStatusCode.Redirect, page.Status);
        Assert.Matches("^/order/[0-9A-Z]{16}$", page.Location);
        return await ReadAsync(page.Location!);
    }

    /// <summary>The number in the header.</summary>
    public async Task<int> BasketCountAsync() =>
        int.Parse(CountInHeader().Match(await ReadAsync("/")).Groups[1].Value, null);

    public void Dispose() => Browser.Dispose();

    private static Regex LineOf(string slug) =>
        new($"data-item=\"{slug}\".*?name=\"quantities\\[(\\d+)\\]\"", RegexOptions.Singleline);

    [GeneratedRegex("name=\"Form.Shown\" value=\"([^\"]*)\"")]
    private static partial Regex ShownField();

    [GeneratedRegex("name=\"Number\" value=\"([0-9A-Z]{16})\"")]
    private static partial Regex NumberField();

    [GeneratedRegex("id=\"basket-count\">(\\d+)<")]
    private static partial Regex CountInHeader();
}
