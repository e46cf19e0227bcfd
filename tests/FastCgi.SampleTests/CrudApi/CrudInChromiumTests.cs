namespace FastCgi.SampleTests.CrudApi;

/// <summary>The sample behind the nginx.conf that lies beside it.</summary>
public sealed class CrudBehindItsNginx : ServedSample
{
    private protected override Task<ProcessSite> StartAsync(string data) =>
        SampleProgram.StartBehindNginxAsync("CrudApi", arguments: ["--data", data]);
}

/// <summary>The page that describes the API, used in a real browser.</summary>
public sealed class CrudInChromiumTests(CrudBehindItsNginx site, Browsers browsers) : IClassFixture<CrudBehindItsNginx>
{
    /// <summary>A request that the page describes, and the example of a new record as the page offers it.</summary>
    [Theory]
    [InlineData(".opblock-get", "/posts/{keys}", "\"title\": \"Hello\",")]
    [InlineData(".opblock-post", "/posts", "\"id\": 6,")]
    public async Task A_request_is_tried_on_the_page(string block, string path, string expected)
    {
        await using var browser = await browsers.OpenAsync(Viewport.Desktop, site.Address);

        await browser.ClickAsync("#operations-tag-posts");
        await browser.ClickAsync($"{block} .opblock-summary-path[data-path='{path}']");
        await browser.ClickAsync(".try-out__btn");
        await browser.ClickAsync(".execute");

        Assert.Contains(
            expected, await browser.TextAsync(".live-responses-table .highlight-code"), StringComparison.Ordinal);
        Assert.Empty(await browser.ComplaintsAsync());
    }

    [Fact]
    public async Task Each_of_the_three_queries_on_the_page_shows_its_records_when_it_is_clicked()
    {
        await using var browser = await browsers.OpenAsync(Viewport.Phone, site.Address);
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
