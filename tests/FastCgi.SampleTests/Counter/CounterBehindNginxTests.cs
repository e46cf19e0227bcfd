namespace FastCgi.SampleTests.Counter;

/// <summary>Blazor Server also in a real browser, its circuit over nginx' scgi_pass.</summary>
public sealed class CounterBehindNginxTests(CounterBehindNginx site, Browsers browsers)
    : CounterTests(site), IClassFixture<CounterBehindNginx>
{
    [Fact]
    public async Task Clicks_are_counted_and_the_server_is_seen_at_work_over_a_WebSocket()
    {
        await using var browser = await browsers.OpenAsync(
            Viewport.Desktop with { Width = 800, Height = 490 }, new Uri(site.Address, "counter"));
        for (var click = 1; click <= 3; click++)
        {
            await browser.ClickAsync("#click:enabled");
            await browser.WaitForTextAsync("#count", $"{click}");
        }

        await browser.SaveScreenshotAsync(Repository.Artifact("counter.png"));
        await site.Site.Log.WaitForAsync("upgraded");

        // By the same connection: the page is not loaded anew.
        await browser.ClickAsync("nav a[href=live]");
        await browser.WaitForTextAsync("#pages", "1");
        var time = "";
        for (var change = 1; change <= 3; change++)
        {
            time = await browser.WaitForOtherTextAsync("#time", time);
        }

        await browser.SaveScreenshotAsync(Repository.Artifact("counter-live.png"));

        Assert.Equal(["negotiate"], await PollsAsync(browser));
        Assert.Empty(await browser.ComplaintsAsync());
    }

    [Fact]
    public async Task The_count_outlives_a_visit_to_another_page_and_a_restart()
    {
        await using var browser = await browsers.OpenAsync(Viewport.Desktop, new Uri(site.Address, "counter"));
        await browser.ClickAsync("#click:enabled");
        await browser.WaitForTextAsync("#count", "1");

        await browser.ClickAsync(".brand");
        await browser.WaitForTextAsync("h1", "Blazor Server behind scgi_pass");
        await browser.ClickAsync("nav a[href=counter]");
        await browser.WaitForTextAsync("#count", "1");
        await browser.ClickAsync("#click:enabled");
        await browser.WaitForTextAsync("#count", "2");

        await site.RestartAsync();
        await browser.OpenAsync(new Uri(site.Address, "counter"));
        await browser.TextAsync("#click:enabled");
        Assert.Equal("2", await browser.TextAsync("#count"));
    }

    [Fact]
    public async Task A_page_comes_again_by_itself_when_the_server_does()
    {
        await using var browser = await browsers.OpenAsync(Viewport.Desktop, new Uri(site.Address, "live"));
        await browser.WaitForTextAsync("#pages", "1");
        await browser.RunAsync("window.isOld = true");

        await site.RestartAsync();

        await browser.WaitUntilAsync("!window.isOld && document.querySelector('#pages')?.textContent === '1'");
    }

    /// <summary>Blazor leaves it so if the server fails to take the page back.</summary>
    [Fact]
    public async Task A_page_that_stays_lost_while_the_server_answers_is_loaded_again()
    {
        await using var browser = await browsers.OpenAsync(Viewport.Desktop, new Uri(site.Address, "counter"));
        await browser.TextAsync("#click:enabled");
        await browser.RunAsync("window.isOld = true");

        await browser.RunAsync(
            "document.getElementById('components-reconnect-modal').className = 'components-reconnect-show'");

        await browser.WaitUntilAsync("!window.isOld && document.querySelector('#click:enabled') !== null");
    }

    [Theory]
    [InlineData("components-reconnect-show")]
    [InlineData("components-reconnect-failed")]
    public async Task The_button_does_not_work_while_the_connection_is_lost(string state)
    {
        await using var browser = await browsers.OpenAsync(Viewport.Desktop, new Uri(site.Address, "counter"));
        await browser.TextAsync("#click:enabled");

        await browser.RunAsync($"document.getElementById('components-reconnect-modal').className = '{state}'");
        await browser.WaitUntilAsync("document.querySelector('#click').closest('[inert]') !== null");
        await browser.RunAsync(
            "document.getElementById('components-reconnect-modal').className = 'components-reconnect-hide'");

        await browser.WaitUntilAsync("document.querySelector('#click').closest('[inert]') === null");
    }

    [Theory]
    [InlineData("document.getElementById('blazor-error-ui').style.display = 'block'", "#blazor-error-ui a")]
    [InlineData(
        "document.getElementById('components-reconnect-modal').className = 'components-reconnect-failed'", ".gone a")]
    public async Task The_page_that_failed_is_the_one_that_is_loaded_again(string failure, string link)
    {
        await using var browser = await browsers.OpenAsync(Viewport.Desktop, new Uri(site.Address, "counter"));
        await browser.TextAsync("#click:enabled");
        await browser.RunAsync(failure);

        await browser.FollowAsync(link);

        Assert.Equal("/counter", (await browser.AddressAsync()).AbsolutePath);
    }

    /// <summary>The requests of the circuit that are no WebSocket.</summary>
    private static async Task<IEnumerable<string>> PollsAsync(Chromium browser)
    {
        var names = await browser.RunAsync(
            "return performance.getEntriesByType('resource').map(r => new URL(r.name).pathname)");
        return names.EnumerateArray().Select(static name => name.GetString()!)
            .Where(static name => name.StartsWith("/_blazor", StringComparison.Ordinal))
            .Select(static name => name["/_blazor".Length..].TrimStart('/'))
            .Where(static name => name != "initializers");
    }
}
