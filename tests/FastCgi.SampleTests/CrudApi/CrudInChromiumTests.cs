using FastCgi.WebServerKit.Browsers;

namespace FastCgi.SampleTests.CrudApi;

/// <summary>The page that describes the API, used in a real browser.</summary>
public sealed class CrudInChromiumTests
{
    [Fact]
    public async Task A_record_is_read_by_trying_the_request_on_the_page()
    {
        using var directory = new WorkDirectory();
        await using var site = await SampleBehindNginx.StartAsync("CrudApi", arguments: ["--data", directory.File("data")]);
        await using var browser = await Chromium.StartAsync(Viewport.Desktop);
        await browser.OpenAsync(new Uri($"http://{site.EndPoint}/"));

        await browser.ClickAsync("#operations-tag-posts");
        await browser.ClickAsync(".opblock-get .opblock-summary-path[data-path='/posts/{keys}']");
        await browser.ClickAsync(".try-out__btn");
        await browser.ClickAsync(".execute");

        Assert.Contains(
            "\"title\": \"Hello\",", await browser.TextAsync(".live-responses-table .highlight-code"), StringComparison.Ordinal);
        Assert.Empty(await browser.ComplaintsAsync());
    }

    [Fact]
    public async Task The_example_of_a_new_record_is_sent_as_the_page_offers_it()
    {
        using var directory = new WorkDirectory();
        await using var site = await SampleBehindNginx.StartAsync("CrudApi", arguments: ["--data", directory.File("data")]);
        await using var browser = await Chromium.StartAsync(Viewport.Desktop);
        await browser.OpenAsync(new Uri($"http://{site.EndPoint}/"));

        await browser.ClickAsync("#operations-tag-posts");
        await browser.ClickAsync(".opblock-post .opblock-summary-path[data-path='/posts']");
        await browser.ClickAsync(".try-out__btn");
        await browser.ClickAsync(".execute");

        Assert.Contains(
            "\"id\": 6,", await browser.TextAsync(".live-responses-table .highlight-code"), StringComparison.Ordinal);
        Assert.Empty(await browser.ComplaintsAsync());
    }

    [Fact]
    public async Task Each_of_the_three_queries_on_the_page_shows_its_records_when_it_is_clicked()
    {
        using var directory = new WorkDirectory();
        await using var site = await SampleBehindNginx.StartAsync("CrudApi", arguments: ["--data", directory.File("data")]);
        await using var browser = await Chromium.StartAsync(Viewport.Phone);
        await browser.OpenAsync(new Uri($"http://{site.EndPoint}/"));
        var seen = "";
        foreach (var (number, part) in ((int, string)[])[(1, "Apple pie"), (2, "Hello"), (3, "First!")])
        {
            await browser.ClickAsync($"#queries li:nth-child({number}) a");
            seen = await browser.WaitForOtherTextAsync("#answer", seen);
            Assert.Contains(part, seen, StringComparison.Ordinal);
        }

        Assert.Empty(await browser.ComplaintsAsync());
    }
}
