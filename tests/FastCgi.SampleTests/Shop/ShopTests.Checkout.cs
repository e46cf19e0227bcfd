using FastCgi.SampleTests.Mvc;

namespace FastCgi.SampleTests.Shop;

/// <summary>Basket, checkout and order.</summary>
public abstract partial class ShopTests
{
    [Fact]
    public async Task The_basket_lasts_from_page_to_page_and_is_ones_own()
    {
        using var stranger = new ShopVisitor(site);
        await _visitor.AddAsync("brass-ruler", 2);
        await _visitor.AddAsync("enamel-mug", 1);
        await _visitor.AddAsync("brass-ruler", 1);

        var page = await _visitor.ReadAsync("/basket");
        Assert.Contains("Brass ruler", page, StringComparison.Ordinal);
        Assert.Contains("<dt>Goods</dt><dd>€67.00</dd>", page, StringComparison.Ordinal);
        Assert.Contains("<dt>Delivery</dt><dd>€5.90</dd>", page, StringComparison.Ordinal);
        Assert.Contains("<dd id=\"total\">€72.90</dd>", page, StringComparison.Ordinal);
        Assert.Equal(4, await _visitor.BasketCountAsync());
        Assert.Equal(0, await stranger.BasketCountAsync());
    }

    [Fact]
    public async Task A_double_click_orders_once()
    {
        await _visitor.AddAsync("enamel-mug", 1);

        var answers = await _visitor.OrderAsync(attempts: 3, ShopVisitor.Address);

        Assert.All(answers, answer => Assert.Equal(
            (HttpStatusCode.Redirect, answers[0].Location), (answer.Status, answer.Location)));
        Assert.Matches("^/order/[0-9A-Z]{16}$", answers[0].Location);
        Assert.Contains("Thank you", await _visitor.ReadAsync(answers[0].Location!), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_quantity_that_was_typed_counts_at_the_checkout()
    {
        await _visitor.AddAsync("brass-ruler", 1);
        var line = Regex.Match(await _visitor.ReadAsync("/basket"), "quantities\\[(\\d+)\\]");

        var page = await MvcPage.SubmitAsync(
            _visitor.Browser, "/basket", "/basket?handler=Checkout", ($"quantities[{line.Groups[1].Value}]", "3"));

        Assert.Equal((HttpStatusCode.Redirect, "/checkout"), (page.Status, page.Location));
        Assert.Equal(3, await _visitor.BasketCountAsync());
    }

    [Theory]
    [InlineData("")]
    [InlineData("20")]
    public async Task An_item_is_taken_out_whatever_stands_in_the_field_of_another(string typed)
    {
        await _visitor.AddAsync("brass-ruler", 1);
        await _visitor.AddAsync("storm-lantern", 2);
        var lines = Regex.Matches(await _visitor.ReadAsync("/basket"), "quantities\\[(\\d+)\\]")
            .Select(static line => line.Groups[1].Value).Distinct().ToArray();

        var page = await MvcPage.SubmitAsync(
            _visitor.Browser, "/basket", "/basket?handler=Change",
            ($"quantities[{lines[0]}]", "1"), ($"quantities[{lines[1]}]", typed), ("remove", lines[0]));

        Assert.Equal((HttpStatusCode.Redirect, "/basket"), (page.Status, page.Location));
        Assert.Single(
            Regex.Matches(await _visitor.ReadAsync("/basket"), "quantities\\[(\\d+)\\]")
                .Select(static line => line.Groups[1].Value).Distinct(), lines[1]);
    }

    [Fact]
    public async Task Quantities_are_changed_and_items_taken_out_again()
    {
        await _visitor.AddAsync("storm-lantern", 1);
        await _visitor.AddAsync("garden-twine", 2);

        await _visitor.ChangeAsync("storm-lantern", 2);
        var page = await _visitor.ReadAsync("/basket");
        Assert.Contains("<dt>Delivery</dt><dd>free</dd>", page, StringComparison.Ordinal);
        Assert.Contains("<dd id=\"total\">€111.00</dd>", page, StringComparison.Ordinal);

        await _visitor.ChangeAsync("storm-lantern", 0);
        await _visitor.ChangeAsync("garden-twine", 0);
        Assert.Contains("nothing in it yet", await _visitor.ReadAsync("/basket"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_basket_takes_no_more_than_there_is_and_nothing_that_is_not()
    {
        await _visitor.AddAsync("desk-clock", 5);
        await _visitor.AddAsync("desk-clock", 5);
        Assert.Equal(6, await _visitor.BasketCountAsync());

        var added = await AddByForgedFormAsync("hammock", "1");
        Assert.Equal(HttpStatusCode.Redirect, added);
        Assert.Equal(6, await _visitor.BasketCountAsync());

        Assert.Equal(HttpStatusCode.NotFound, await AddByForgedFormAsync("unobtainium", "1"));
        Assert.Equal(HttpStatusCode.BadRequest, await AddByForgedFormAsync("enamel-mug", "-3"));
        Assert.Equal(HttpStatusCode.BadRequest, await AddByForgedFormAsync("enamel-mug", "2000000000"));
        Assert.Equal(HttpStatusCode.BadRequest, await AddByForgedFormAsync("enamel-mug", "many"));
        Assert.Equal(6, await _visitor.BasketCountAsync());
        Assert.Equal(HttpStatusCode.BadRequest, (await _visitor.ChangeAsync("desk-clock", 11)).Status);
    }

    [Fact]
    public async Task Pieces_that_the_basket_does_not_take_are_told()
    {
        await _visitor.AddAsync("desk-clock", 4);
        Assert.DoesNotContain("id=\"message\"", await _visitor.ReadAsync("/basket"), StringComparison.Ordinal);
        await _visitor.AddAsync("desk-clock", 4);
        Assert.Contains(
            "There are only 6 of Quiet desk clock. All of them are in your basket.",
            await _visitor.ReadAsync("/basket"), StringComparison.Ordinal);

        await _visitor.AddAsync("enamel-mug", 9);
        await _visitor.AddAsync("enamel-mug", 9);
        Assert.Contains(
            "One order takes at most 10 of an item. Your basket has 10 of Enamel mug.",
            await _visitor.ReadAsync("/basket"), StringComparison.Ordinal);
        Assert.DoesNotContain("id=\"message\"", await _visitor.ReadAsync("/basket"), StringComparison.Ordinal);

        await AddByForgedFormAsync("hammock", "1");
        Assert.Contains("Cotton hammock is sold out.", await _visitor.ReadAsync("/basket"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_checkout_with_a_mistake_leads_to_a_page_that_can_be_loaded_again()
    {
        await _visitor.AddAsync("enamel-mug", 1);
        var number = Regex.Match(await _visitor.ReadAsync("/checkout"), "name=\"Number\" value=\"([^\"]+)\"");
        var sent = await MvcPage.SubmitAsync(
            _visitor.Browser, "/checkout", "/checkout",
            ("Number", number.Groups[1].Value), ("Form.Name", "Ada"), ("Form.Note", new string('n', 100_000)));
        Assert.Equal((HttpStatusCode.Redirect, "/checkout"), (sent.Status, sent.Location));
        for (var time = 1; time <= 2; time++)
        {
            var page = await _visitor.ReadAsync("/checkout");
            Assert.Contains("value=\"Ada\"", page, StringComparison.Ordinal);
            Assert.Contains("Where do you live?", page, StringComparison.Ordinal);
            Assert.Contains("At most 300 characters", page, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task There_is_no_checkout_of_nothing()
    {
        var page = await _visitor.OpenAsync("/checkout");
        Assert.Equal((HttpStatusCode.Redirect, "/basket"), (page.Status, page.Location));
    }

    [Fact]
    public async Task An_incomplete_checkout_comes_back_with_what_is_wrong_and_what_was_right()
    {
        await _visitor.AddAsync("enamel-mug", 1);
        var page = await _visitor.OrderAsync(
            ("Form.Name", "Ada <b>Byron</b>"),
            ("Form.Email", "nowhere"),
            ("Form.Postcode", "!"),
            ("Form.City", new string('x', 81)),
            ("Form.Country", "Atlantis"));
        Assert.Equal(HttpStatusCode.OK, page.Status);
        Assert.Contains("value=\"Ada &lt;b&gt;Byron&lt;/b&gt;\"", page.Text, StringComparison.Ordinal);

        foreach (var problem in new[]
        {
            "does not look like an e-mail address", "Where do you live?", "Three to eleven letters",
            "At most 80 characters fit", "We do not deliver there yet.",
        })
        {
            Assert.Contains(problem, page.Text, StringComparison.Ordinal);
        }

        Assert.Matches("(?s)<input[^>]*aria-invalid=\"true\"[^>]*name=\"Form.Email\"", page.Text);
        Assert.DoesNotMatch("(?s)<input[^>]*aria-invalid=\"true\"[^>]*name=\"Form.Name\"", page.Text);
        Assert.Matches("(?s)<input[^>]*autofocus[^>]*name=\"Form.Email\"", page.Text);
        Assert.Equal(1, page.Text.Split("autofocus").Length - 1);
        Assert.Equal(1, await _visitor.BasketCountAsync());
    }

    [Theory]
    [InlineData(300, false)]
    [InlineData(301, true)]
    public async Task A_line_break_counts_as_one_character_of_the_note(int length, bool isRefused)
    {
        await _visitor.AddAsync("enamel-mug", 1);
        var note = string.Join("\r\n", Enumerable.Repeat(new string('x', 9), 30)) + new string('y', length - 299);
        var page = await _visitor.OrderAsync([.. ShopVisitor.Address[..^1], ("Form.Note", note)]);
        Assert.Equal(isRefused, page.Text.Contains("At most 300 characters", StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_order_is_stored_and_confirmed_at_the_shops_own_prices()
    {
        await _visitor.AddAsync("matcha-set", 2);
        var before = await StockOfAsync(_visitor, "matcha-set");

        var placed = await _visitor.OrderAsync(
            [.. ShopVisitor.Address, ("Price", "0.01"), ("Summary.Total", "0.01"), ("Delivery", "0")]);
        Assert.Equal(HttpStatusCode.Redirect, placed.Status);

        var confirmation = await _visitor.ReadAsync(placed.Location!);
        Assert.Contains("Thank you, Zoë Müller.", confirmation, StringComparison.Ordinal);
        Assert.Contains(
            "<td>Matcha set</td><td>2</td><td>€49.00</td><td>€98.00</td>", confirmation, StringComparison.Ordinal);
        Assert.Contains("<td id=\"total\">€98.00</td>", confirmation, StringComparison.Ordinal);
        Assert.Contains("12345 Köln", confirmation, StringComparison.Ordinal);
        Assert.Contains("Ring twice 🔔", confirmation, StringComparison.Ordinal);

        Assert.Equal(0, await _visitor.BasketCountAsync());
        Assert.Equal(before - 2, await StockOfAsync(_visitor, "matcha-set"));

        // Who has the number may see it.
        using var stranger = new ShopVisitor(site);
        Assert.Equal(confirmation, await stranger.ReadAsync(placed.Location!));
    }

    [Fact]
    public async Task An_order_is_what_the_checkout_showed()
    {
        await _visitor.AddAsync("enamel-mug", 1);
        await _visitor.AddAsync("garden-twine", 1);
        var checkout = await _visitor.OpenCheckoutAsync();
        await _visitor.AddAsync("brass-ruler", 2);
        await _visitor.AddAsync("enamel-mug", 1);
        await _visitor.ChangeAsync("garden-twine", 0);

        var refused = (await _visitor.OrderAsync(attempts: 1, checkout, ShopVisitor.Address))[0];
        Assert.Equal(HttpStatusCode.OK, refused.Status);
        var page = WebUtility.HtmlDecode(refused.Text);
        foreach (var change in (string[])
            [
                "Your order has changed since you saw it. Nothing was ordered.",
                "2 × Brass ruler came in.", "2 × Enamel mug instead of 1.", "Jute twine was taken out.",
            ])
        {
            Assert.Contains(change, page, StringComparison.Ordinal);
        }

        Assert.Contains("value=\"Zoë Müller\"", page, StringComparison.Ordinal);
        Assert.Equal(4, await _visitor.BasketCountAsync());

        // The page that says so shows the order as it is now, and it can be sent.
        Assert.Contains("Brass ruler", await _visitor.OrderAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_price_other_than_the_one_shown_is_told_before_it_is_paid()
    {
        await _visitor.AddAsync("enamel-mug", 1);
        var checkout = await _visitor.OpenCheckoutAsync();
        var shown = Regex.Replace(checkout[^1].Value, "[0-9]+$", "100");
        checkout[^1] = new(checkout[^1].Key, shown);

        var refused = (await _visitor.OrderAsync(attempts: 1, checkout, ShopVisitor.Address))[0];
        Assert.Matches(@"Enamel mug costs €[0-9.]+ now, not €1\.00\.", WebUtility.HtmlDecode(refused.Text));
        Assert.Equal(1, await _visitor.BasketCountAsync());
    }

    [Theory]
    [InlineData("")]
    [InlineData("1:1")]
    [InlineData("x:y:z 99999999999:1:1")]
    public async Task A_form_that_does_not_say_what_it_showed_orders_nothing(string shown)
    {
        await _visitor.AddAsync("enamel-mug", 1);
        var checkout = await _visitor.OpenCheckoutAsync();
        checkout[^1] = new(checkout[^1].Key, shown);

        var refused = (await _visitor.OrderAsync(attempts: 1, checkout, ShopVisitor.Address))[0];
        Assert.Contains("Nothing was ordered.", refused.Text, StringComparison.Ordinal);
        Assert.Equal(1, await _visitor.BasketCountAsync());
    }

    [Fact]
    public async Task Of_two_who_want_the_last_ones_the_second_gets_none_and_is_told()
    {
        using var first = new ShopVisitor(site);
        using var second = new ShopVisitor(site);
        await first.AddAsync("wall-clock", 6);
        await second.AddAsync("wall-clock", 2);
        await second.AddAsync("hand-grinder", 1);
        var grinders = await StockOfAsync(second, "hand-grinder");
        await first.OrderAsync();

        Assert.Contains("Only 1 left", await second.ReadAsync("/basket"), StringComparison.Ordinal);
        var refused = await second.OrderAsync(ShopVisitor.Address);
        Assert.Equal(HttpStatusCode.OK, refused.Status);
        Assert.Contains(
            "Only 1 of Station wall clock are left. Nothing was ordered.", refused.Text, StringComparison.Ordinal);
        Assert.Equal(grinders, await StockOfAsync(second, "hand-grinder"));
        Assert.Equal(3, await second.BasketCountAsync());
    }

    [Fact]
    public async Task Forms_without_their_token_are_refused()
    {
        await _visitor.AddAsync("enamel-mug", 1);
        foreach (var target in new[] { "/basket?handler=Add", "/basket?handler=Change", "/checkout" })
        {
            using var form = new FormUrlEncodedContent(
                [new("slug", "enamel-mug"), new("id", "1"), new("quantity", "5"),
                    .. ShopVisitor.Address.Select(field => KeyValuePair.Create(field.Name, field.Value))]);
            using var response = await _visitor.Browser
                .PostAsync(new Uri(target, UriKind.Relative), form).Within($"POST {target}");
            Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        }

        Assert.Equal(1, await _visitor.BasketCountAsync());
    }

    [Fact]
    public async Task The_cookie_of_the_basket_is_for_this_site_and_no_script()
    {
        var (name, token) = await MvcPage.TokenAsync(_visitor.Browser, "/item/enamel-mug");
        using var form = new FormUrlEncodedContent([new("slug", "enamel-mug"), new("quantity", "1"), new(name, token)]);
        using var response = await _visitor.Browser
            .PostAsync(new Uri("/basket?handler=Add", UriKind.Relative), form).Within("the basket");
        var cookie = Assert.Single(response.Headers.GetValues("Set-Cookie"));
        Assert.Matches("^shop=[^;]+; path=/; samesite=lax; httponly$", cookie);
    }

    [Fact]
    public async Task Nobody_keeps_a_copy_of_a_confirmation()
    {
        await _visitor.AddAsync("seed-collection", 1);
        var placed = await _visitor.OrderAsync(ShopVisitor.Address);
        using var response = await _visitor.Browser
            .GetAsync(new Uri(placed.Location!, UriKind.Relative)).Within("the confirmation");
        Assert.True(response.Headers.CacheControl!.NoStore);
    }

    private async Task<HttpStatusCode> AddByForgedFormAsync(string slug, string quantity)
    {
        var page = await MvcPage.SubmitAsync(
            _visitor.Browser, "/item/enamel-mug", "/basket?handler=Add", ("slug", slug), ("quantity", quantity));
        return page.Status;
    }

    /// <summary>What the page of an item says of which few are left.</summary>
    private static async Task<int> StockOfAsync(ShopVisitor visitor, string slug) =>
        int.Parse(FewLeft().Match(await visitor.ReadAsync($"/item/{slug}")).Groups[1].Value, null);

    [GeneratedRegex(@"Only (\d+) left")]
    private static partial Regex FewLeft();
}
