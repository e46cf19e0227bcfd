using FastCgi.WebServerKit.Browsers;

namespace FastCgi.SampleTests.Counter;

/// <summary>Blazor Server used in a real browser, its circuit over nginx' scgi_pass.</summary>
public sealed class CounterInChromiumTests(CounterBehindNginx site) : IClassFixture<CounterBehindNginx>
{
    [Fact]
    public async Task Clicks_are_counted_and_the_server_is_seen_at_work_over_a_WebSocket()
    {
        await using var browser = await Chromium.StartAsync(Viewport.Desktop with { Width = 800, Height = 490 });
        await browser.OpenAsync(new Uri(site.Address, "counter"));
        for (var click = 1; click <= 3; click++)
        {
            await browser.ClickAsync("#click:enabled");
            await browser.WaitForTextAsync("#count", $"{click}");
        }

        await browser.SaveScreenshotAsync(Repository.Artifact("counter.png"));
        await site.Log.WaitForAsync("upgraded");

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
